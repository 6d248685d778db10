import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { AdminClient, type AdminClientOptions } from '../../src/admin/index.js';
import { isCollecting } from '../../src/collector/collector-routes.js';
import { operations } from '../service/api/described.js';
import { numbered } from '../service/audiences/numbered.js';
import { listen as listenAt, serveAudiences } from '../service/audiences/serve.js';
import { stagedOn } from '../service/audiences/support.js';
import { configOf, TOKEN as SERVICE_TOKEN, serving } from '../service/support.js';
import { FakeClock } from '../support/fake-clock.js';
import { ADMIN_CALLS, callAdmin } from './admin-calls.js';

const TOKEN = 'a-token-that-nobody-may-see';

async function listen(listener: RequestListener): Promise<{ url: string; admin: AdminClient }> {
  const url = await listenAt(listener);
  return { url, admin: new AdminClient({ url, token: TOKEN }) };
}

/** Starts a server with real audiences, and a client for it. */
async function serve() {
  const served = await serveAudiences({ runSize: 1_000 }, TOKEN);
  return { ...served, admin: new AdminClient({ url: served.url, token: TOKEN }) };
}

test('a sync whose list throws stops and changes nothing', async () => {
  const { admin, audiences, keyValues } = await serve();
  const broken = async function* (): AsyncGenerator<string> {
    yield* numbered(30_000);
    throw new Error('the disk is gone');
  };
  await expect(admin.syncAudience('Users', broken())).rejects.toThrow('the disk is gone');
  while ((await audiences.list()).length > 0 || (await stagedOn(keyValues)).length > 0) await new Promise(setImmediate);
});

test('a wrong user id is refused with its position in the list', async () => {
  const { admin } = await serve();
  const code = 'EVENTFERRY_ADMIN_INVALID_OPTION';
  const refused = admin.syncAudience('Users', ['ann', 42 as unknown as string]);
  await expect(refused).rejects.toMatchObject({ code, option: 'userIds[1]' });
  await expect(admin.changeAudience('Users', { leave: [''] })).rejects.toMatchObject({
    code,
    option: 'change.leave[0]',
  });
  await expect(admin.syncAudience('', [])).rejects.toMatchObject({ code, option: 'name' });
  await expect(admin.audience('..')).rejects.toMatchObject({ code, option: 'name' });
});

test('a conflict error has the reason of the conflict', async () => {
  const { admin, keyValues } = await serve();
  let end = (): void => {};
  const held = async function* (): AsyncGenerator<string> {
    yield* numbered(10_000);
    await new Promise<void>((resolve) => {
      end = resolve;
    });
  };
  const first = admin.syncAudience('Users', held());
  while ((await stagedOn(keyValues)).length === 0) await new Promise(setImmediate);
  const second = admin.syncAudience('Users', numbered(200_000));
  await expect(second).rejects.toMatchObject({
    code: 'EVENTFERRY_ADMIN_CONFLICT',
    reason: 'audience_busy',
    retryAfterMs: 5_000,
  });
  end();
  await first;
  const other = admin.syncAudience('users', []);
  await expect(other).rejects.toMatchObject({ code: 'EVENTFERRY_ADMIN_CONFLICT', reason: 'audience_trait_taken' });
});

test('the admin client has a method for each route that programs call', () => {
  const source = readFileSync(new URL('../../src/admin/admin-client.ts', import.meta.url), 'utf8');
  const called = [...source.matchAll(/'([A-Z]+ \/v1\/[^']+)'/g)].map(([, route]) => route);
  // The other routes are called by tools (health, metrics, document) or by the page.
  const others = /^(GET \/(healthz|readyz|metrics)?|\w+ \/v1\/(openapi.json|feed|session))$/;
  const routes = operations.filter(({ path }) => !isCollecting(path)).map(({ method, path }) => `${method} ${path}`);
  expect([...new Set(called)].sort()).toEqual(routes.filter((route) => !others.test(route)).sort());
});

test('the admin client lists deletions, newest first', async () => {
  const clock = new FakeClock();
  const { url } = await serving(configOf(), { clock });
  const admin = new AdminClient({ url, token: SERVICE_TOKEN });
  const first = await admin.requestDeletion(['ann']);
  await clock.pass(1_000);
  const second = await admin.requestDeletion(['bob']);
  expect((await admin.deletions()).map(({ id }) => id)).toEqual([second.id, first.id]);
  expect((await admin.deletions({ limit: 1 })).map(({ id }) => id)).toEqual([second.id]);
});

test('the admin client requests deletions by ids and sources, and reports them', async () => {
  const requests: unknown[] = [];
  const { admin } = await listen(async (request, response) => {
    requests.push(`${request.method} ${request.url}`, (await request.toArray()).join(''));
    response.writeHead(202).end('{"id":"d1","users":2,"notifications":2,"status":"running"}');
  });
  expect(await admin.requestDeletion(new Set(['ann', 'bob']), { sources: ['web'] })).toMatchObject({ id: 'd1' });
  await admin.requestDeletion(['ann']);
  await admin.previewDeletion(['ann'], { sources: 'all' });
  await admin.deletion('d/1');
  expect(requests).toEqual([
    'POST /v1/deletions',
    '{"userIds":["ann","bob"],"sources":["web"]}',
    'POST /v1/deletions',
    '{"userIds":["ann"]}',
    'POST /v1/deletions',
    '{"userIds":["ann"],"sources":"all","dryRun":true}',
    'GET /v1/deletions/d%2F1',
    '',
  ]);
});

test('no error and no inspection shows the admin token', async () => {
  const { url, admin } = await serve();
  const wrong = new AdminClient({ url, token: `${TOKEN}-wrong` });
  const gone = new AdminClient({ url: 'http://127.0.0.1:1', token: TOKEN });
  const errors = await Promise.all([wrong, gone].map((client) => client.audiences().catch((error: unknown) => error)));
  expect(errors).toMatchObject([{ code: 'EVENTFERRY_ADMIN_UNAUTHORIZED' }, { code: 'EVENTFERRY_ADMIN_CONNECTION' }]);
  for (const thing of [...errors, admin]) {
    expect(inspect(thing, { depth: 10, showHidden: true }) + JSON.stringify(thing)).not.toContain(TOKEN);
  }
});

test.each([
  [{ url: 'http://a.example', token: '' }, 'token'],
  [{ url: 'http://a.example', token: 'secret with\nnewline' }, 'token'],
  [{ url: 'http://a.example' }, 'token'],
  [{ url: 'ftp://a.example', token: 't' }, 'url'],
  [{ url: 'http://me:secret@a.example', token: 't' }, 'url'],
  [{ url: 'http://a.example?x=secret', token: 't' }, 'url'],
  [{ token: 't' }, 'url'],
  [{ url: 'http://a.example', token: 't', tokn: 'secret' }, 'tokn'],
  [undefined, 'options'],
])('the options %j are refused because of %s, and the error does not show the token', (options, option) => {
  const make = () => new AdminClient(options as AdminClientOptions);
  expect(make).toThrow(expect.objectContaining({ code: 'EVENTFERRY_ADMIN_INVALID_OPTION', option }));
  expect(make).toThrow(expect.not.objectContaining({ message: expect.stringContaining('secret') }));
});

test('the bundle of eventferry/admin contains no code of the server except the rules for queries of the API', async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const { metafile } = await build({
    entryPoints: [`${root}src/admin/index.ts`],
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    write: false,
    metafile: true,
  });
  expect(Object.keys(metafile.inputs).sort()).toEqual([
    'node_modules/is-network-error/index.js',
    'node_modules/leven/index.js',
    'node_modules/p-retry/index.js',
    'src/admin/admin-client.ts',
    'src/admin/admin-errors.ts',
    'src/admin/admin-options.ts',
    'src/admin/admin-request.ts',
    'src/admin/api-calls.ts',
    'src/admin/index.ts',
    'src/admin/read-repeatedly.ts',
    'src/admin/user-lines.ts',
    'src/base/errors/errors.ts',
    'src/base/options/check-options.ts',
    'src/base/options/limits.ts',
    'src/base/options/suggest.ts',
    'src/base/platform/node.ts',
    'src/base/text/decode.ts',
    'src/base/text/describe.ts',
    'src/base/text/http-url.ts',
    'src/base/text/printable.ts',
    'src/base/time/clock.ts',
    'src/delivery/attempt-outcome.ts',
    'src/delivery/schedule.ts',
    'src/delivery/state.ts',
    'src/ledger/counts/steps.ts',
    'src/protocol/look-of-time.ts',
    'src/protocol/odd-time.ts',
    'src/protocol/plain.ts',
    'src/protocol/platform/node.ts',
    'src/protocol/timestamp.ts',
    'src/protocol/user-id.ts',
    'src/service/api/change-rules.ts',
    'src/service/api/destination-state.ts',
    'src/service/api/queries.ts',
    'src/service/audiences/entry-value.ts',
    'src/service/audiences/user-id-problem.ts',
  ]);
});

/** The client without types, as JavaScript programs call it. */
// biome-ignore lint/suspicious/noExplicitAny: what is tested is what the types refuse.
type Untyped = Record<string, (...given: any[]) => Promise<unknown>>;

test.each([
  ['requestDeletion', ['42'], 'Expected `userIds` to be a list of user ids, got string "42"'],
  ['requestDeletion', [], 'Expected `userIds` to be a list of user ids, got undefined'],
  [
    'requestDeletion',
    [['u1'], { sources: 'web' }],
    'Expected `sources` to be a list of names of sources, or \'all\', got string "web"',
  ],
  ['syncAudience', ['VIP', 'alice'], 'Expected `userIds` to be a list of user ids, got string "alice"'],
  ['syncAudience', ['VIP', new Map()], 'Expected `userIds` to be a list of user ids, got a Map'],
  ['syncAudience', ['VIP', { u1: true }], 'Expected `userIds` to be a list of user ids, got an object'],
  ['syncAudience', ['VIP', [], { allowStandardTrait: 'no' }], 'Expected `allowStandardTrait` to be true or false'],
  ['syncTrait', ['Score', new Map()], 'Expected `values` to be a list of users and values, got a Map'],
  ['changeAudience', ['VIP'], 'Expected `change` to be an object, got undefined'],
  ['changeAudience', ['VIP', { join: 'u1' }], 'Expected `change.join` to be a list of user ids, got string "u1"'],
  ['changeAudience', ['VIP', { add: ['u1'] }], 'Expected `change.add` to be a known option'],
  [
    'changeTrait',
    ['Score', { set: { u1: 5 } }],
    'Expected `change.set` to be a list of users and values, got an object',
  ],
  ['replay', [], 'Expected `options` to be an object, got undefined. Write replay({ all: true })'],
  ['discard', [{ from: new Date(Number.NaN) }], 'Expected `from` to be an ISO 8601 time, got an invalid Date'],
  ['destinations', [null], 'Expected `options` to be an object, got null'],
  ['status', [{ bogus: 1 }], 'Expected `bogus` to be a known option'],
  ['status', [{ signal: 5 }], 'Expected `signal` to be an AbortSignal, got number 5'],
  ['testDestination', ['crm', null], 'Expected `options` to be an object, got null'],
  ['sourceCounts', ['web', { hour: 3 }], 'Did you mean `hours`?'],
])('%s refuses %j before anything is sent', async (method, given, message) => {
  const { admin } = await listen(() => expect.unreachable('nothing is sent'));
  const refused = (admin as unknown as Untyped)[method]?.(...given);
  await expect(refused).rejects.toMatchObject({
    code: 'EVENTFERRY_ADMIN_INVALID_OPTION',
    message: expect.stringContaining(message),
  });
});

test('a list of deliveries refuses `limit` and `after`, because it reads all pages', async () => {
  const { admin } = await listen(() => expect.unreachable('nothing is sent'));
  await expect(admin.deliveries({ limit: 9 } as object).next()).rejects.toMatchObject({ option: 'limit' });
});

test('TypeScript refuses a string in place of a list of ids', () => {
  const calls = (admin: AdminClient): void => {
    // @ts-expect-error text is no list of ids
    void admin.requestDeletion('42');
    // @ts-expect-error text is no list of ids
    void admin.syncAudience('VIP', 'alice');
    void admin.syncAudience('VIP', new Set(['alice']));
  };
  expect(calls).toBeTypeOf('function');
});

test('every call refuses an option that it does not know', async () => {
  const { admin } = await listen(() => expect.unreachable('nothing is sent'));
  const methods = Object.getOwnPropertyNames(AdminClient.prototype).filter((name) => name !== 'constructor');
  expect(Object.keys(ADMIN_CALLS).toSorted()).toEqual(methods.toSorted());
  for (const [name, given] of Object.entries(ADMIN_CALLS)) {
    const called = callAdmin(admin, name, ...given, { bogus: 1 });
    await expect(called, name).rejects.toThrow('Expected `bogus` to be a known option');
  }
});
