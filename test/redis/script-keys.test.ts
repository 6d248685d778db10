import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { RedisClient, Script } from '../../src/store/redis/redis-client.js';
import type { RedisStore } from '../../src/store/redis/redis-store.js';
import { RedisServer } from './redis-server.js';
import { claimAt, openStorage } from './storage.js';

/** Code that runs before a script and makes a command on an undeclared key an error. */
const ONLY_DECLARED = `
local declared, server = {}, redis
for _, key in ipairs(KEYS) do declared[key] = true end
local function checked(...)
  local command, key = ...
  if command == 'MGET' then
    for _, other in ipairs({ select(2, ...) }) do if not declared[other] then error('undeclared: ' .. other) end end
  end
  if command ~= 'TIME' and not declared[key] then error('undeclared: ' .. key) end
end
local redis = {
  error_reply = server.error_reply,
  call = function(...)
    checked(...)
    return server.call(...)
  end,
  pcall = function(...)
    checked(...)
    return server.pcall(...)
  end
}
`;

const URL_A = 'https://a.example/';
const URL_B = 'https://b.example/';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

/** Makes every script be checked. Returns how many scripts ran, and which keys they used without declaring them. */
function checkScripts() {
  const checked = new Map<Script, Script>();
  const undeclared: string[] = [];
  const { run } = RedisClient.prototype;
  const spy = vi.spyOn(RedisClient.prototype, 'run').mockImplementation(async function (
    this: RedisClient,
    script,
    ...rest
  ) {
    const own = checked.get(script) ?? new Script(ONLY_DECLARED + script.lua);
    checked.set(script, own);
    try {
      return await run.call(this, own, ...rest);
    } catch (error) {
      if (String(error).includes('undeclared')) undeclared.push(String(error));
      throw error;
    }
  });
  onTestFinished(() => spy.mockRestore());
  return { undeclared, count: () => checked.size };
}

test('every script uses only declared keys, so that a cluster and a managed Redis can run it', async () => {
  const { undeclared, count } = checkScripts();
  const storage = await openStorage(server);
  const stores = (await Promise.all(['one', 'other'].map((name) => storage.deliveries(name)))) as RedisStore[];
  const [store] = stores as [RedisStore];
  const body = Buffer.from('{}');
  // Other sources use the same id, at a URL where the first event does not wait.
  for (const [source, url] of [
    ['web', URL_A],
    ['app', URL_B],
  ] as const) {
    const event = newEvent('m1', 'track', [url], 1_000, { source, bytes: body.length });
    await storage.takeIn(source, [{ id: 'm1', body, deliveries: stores.map((each) => ({ store: each, event })) }]);
  }
  for (const id of ['o1', 'o2']) {
    const event = newEvent(id, 'track', [URL_A, URL_B], 1_000, { bytes: body.length, user: 'ann' });
    await store.add({ ...event, isOrdered: true }, body);
  }
  const ids = await claimAt(store, URL_A, 10);
  expect(ids).toEqual(['m1', 'o1']);
  await store.parts[0].leases(URL_A).putBack(ids);
  const retrying = { phase: 'retrying', due: 2_000, firstAttemptAt: 1_000, attempts: 1, history: [] } as const;
  const dead = { phase: 'dead', at: 2_000, reason: 'permanent', history: [] } as const;
  for (const state of [retrying, dead]) {
    await Promise.all(
      ids.map((id) => store.update(id, (event) => ({ ...event, isDead: state === dead, urls: { [URL_A]: state } }))),
    );
  }
  await store.waiting(URL_A, 'first', undefined, 10);
  await store.backlog();
  await store.webhooks.update(() => [{ key: URL_A, url: URL_A }]);
  await Promise.all(ids.map((id) => store.event(id)));
  for (const id of ['m1', 'o1', 'o2']) await store.update(id, () => undefined);
  await storage.keyValues.write([{ key: 'a/1', value: '1' }]);
  await storage.keyValues.list('a/', undefined, 10);
  await storage.keyValues.removeAll('a/');
  expect(undeclared).toEqual([]);
  expect(count()).toBeGreaterThan(8);
});
