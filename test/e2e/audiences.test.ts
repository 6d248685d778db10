import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { call } from './api.js';
import { destinationOf } from './destinations.js';
import { type Arrived, WebhookReceiver } from './receiver.js';
import { COMMAND, type Ended, Home, TOKEN } from './service.js';

interface Audience {
  readonly members: number;
  readonly sync?: { readonly phase: string; readonly applied: number };
}

const usersFrom = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `user ${from + index}`);

const PATH = `/v1/audiences/${encodeURIComponent('High Value Users')}`;

async function office() {
  const crm = await WebhookReceiver.start();
  const place = await Home.make({
    sources: [{ name: 'shop', writeKeys: ['shop-key'], destinations: [] }],
    destinations: [destinationOf('crm', crm)],
  });
  const file = join(place.folder, 'High Value Users.ndjson');
  /** Runs `eventferry audience sync` with these users. */
  const sync = async (users: readonly string[]): Promise<Ended & { readonly out: string }> => {
    await writeFile(file, users.map((user) => `${JSON.stringify(user)}\n`).join(''));
    const args = [COMMAND, 'audience', 'sync', file, '--url', place.url, '--json'];
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env['PATH'], EVENTFERRY_ADMIN_TOKEN: TOKEN },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    const [code, signal] = await once(child, 'close');
    return { code, signal, out };
  };
  return { crm, place, sync };
}

/** Returns what the endpoint received about each user, each message once. */
function saidOf({ events }: WebhookReceiver): Map<unknown, unknown[]> {
  const said = new Map<unknown, unknown[]>();
  for (const { userId, type, traits } of events as (Arrived & { traits: Record<string, unknown> })[]) {
    said.set(userId, [...(said.get(userId) ?? []), type === 'identify' ? traits['high_value_users'] : type]);
  }
  return said;
}

test('a sync of 20,000 members notifies each member once although the service is killed meanwhile; the next sync sends only changes', async () => {
  const { crm, place, sync } = await office();
  const service = await place.start();
  const syncing = sync(usersFrom(0, 20_000));
  let audience: Audience | undefined;
  while ((audience?.sync?.applied ?? 0) < 4_000) {
    audience = await call<Audience>(service.url, 'GET', PATH).catch(() => undefined);
  }
  expect(audience?.sync?.phase).toBe('applying');
  await service.kill();
  expect((await syncing).code).not.toBe(0);

  const after = await place.start();
  const isDone = ({ members, sync: going }: Audience): boolean => members === 20_000 && going === undefined;
  while (!isDone(await call(after.url, 'GET', PATH))) await delay(100);
  await crm.hasEvents(20_000);
  const said = saidOf(crm);
  expect(said.size).toBe(20_000);
  expect([...said].filter(([, traits]) => traits.length !== 1 || traits[0] !== true)).toEqual([]);

  const again = await sync(usersFrom(100, 20_050));
  expect(again.code).toBe(0);
  expect(JSON.parse(again.out)).toMatchObject({ members: 19_950, joined: 50, left: 100 });
  await crm.hasEvents(20_150);
  const changed = new Map([...saidOf(crm)].filter(([, traits]) => traits.length > 1));
  expect(changed).toEqual(new Map(usersFrom(0, 100).map((user) => [user, [true, false]])));
});

test('members join and leave an audience through the HTTP API', async () => {
  const { crm, place } = await office();
  const { url } = await place.start();
  const put = await fetch(url + PATH, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/x-ndjson' },
    body: '"u1"\n{"userId":"u2"}\n',
  });
  expect(await put.json()).toMatchObject({ trait: 'high_value_users', members: 2, joined: 2, left: 0 });
  expect(await call(url, 'PATCH', PATH, { join: ['u3'], leave: ['u1'] })).toMatchObject({
    members: 2,
    joined: 1,
    left: 1,
  });
  await crm.hasEvents(4);
  await call(url, 'DELETE', PATH);
  await crm.hasEvents(6);
  expect(saidOf(crm)).toEqual(
    new Map([
      ['u1', [true, false]],
      ['u2', [true, false]],
      ['u3', [true, false]],
    ]),
  );
});
