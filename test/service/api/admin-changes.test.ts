import { expect, test } from 'vitest';
import { Changes } from '../../../src/service/api/admin-changes.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';
import { recordingLog } from '../recording-log.js';
import { configOf, destinationOf, serving, TOKEN } from '../support.js';

const ANA = 'the-token-of-ana-1';
const BEN = 'the-token-of-ben-1';

async function withTokens() {
  const log = recordingLog();
  const tokens = [
    { name: 'ana', token: ANA },
    { name: 'ben', token: BEN, readOnly: true },
  ];
  const config = configOf({
    admin: { token: TOKEN, tokens },
    destinations: [destinationOf('https://example.com/hook')],
  });
  const served = await serving(config, { log });
  const pause = (token: string, paused: boolean) =>
    served.ask('/v1/destinations/crm/paused', {
      ...{ method: 'PUT', json: { paused } },
      headers: { authorization: `Bearer ${token}` },
    });
  return { ...served, log, pause };
}

test('each change is listed and logged with the name of its token, newest first', async () => {
  const { ask, pause, log } = await withTokens();
  await pause(ANA, true);
  await pause(TOKEN, false);
  const list = async (query = '') => (await ask(`/v1/changes${query}`)).body;
  await expect.poll(async () => (await list()).length).toBe(2);
  const call = 'PUT /v1/destinations/crm/paused';
  const all = await list();
  expect(all).toHaveLength(2);
  expect(all).toContainEqual(expect.objectContaining({ by: 'ana', call, before: false, value: true, status: 200 }));
  expect(all).toContainEqual(expect.objectContaining({ by: 'admin', call, before: true, value: false, status: 200 }));
  expect(all[0]).not.toHaveProperty('counts');
  expect(await list(`?limit=1&after=${all[0].id}`)).toEqual([all[1]]);
  const told = log.lines.filter(({ text }) => text === 'a change was made through the API');
  expect(told).toMatchObject([{ by: 'ana' }, { by: 'admin' }]);
  expect(JSON.stringify([all, log.lines])).not.toContain(ANA);
});

test('a read-only token can read but not change anything', async () => {
  const { ask, pause } = await withTokens();
  expect(await pause(BEN, true)).toMatchObject({ status: 403, body: { code: 'read_only' } });
  const { status, body } = await ask('/v1/destinations/crm', { headers: { authorization: `Bearer ${BEN}` } });
  expect([status, body.paused]).toEqual([200, false]);
});

test('a session of the page acts with the token that opened it', async () => {
  const { ask, url } = await withTokens();
  const signIn = (token: string) =>
    ask('/v1/session', { method: 'POST', json: { token }, headers: { authorization: '' } });
  const cookie = (await signIn(BEN)).headers.get('set-cookie')?.split(';')[0] ?? '';
  const headers = { authorization: '', cookie, origin: url };
  expect((await ask('/v1/destinations', { headers })).status).toBe(200);
  const refused = await ask('/v1/destinations/crm/paused', { method: 'PUT', json: { paused: true }, headers });
  expect(refused).toMatchObject({ status: 403, body: { code: 'read_only' } });
});

test('a call that is refused is not listed as a change', async () => {
  const { ask } = await withTokens();
  await ask('/v1/destinations/none/paused', { method: 'PUT', json: { paused: true } });
  expect((await ask('/v1/changes')).body).toEqual([]);
});

test('a replay or discard is listed with its destination and its job', async () => {
  const { ask } = await withTokens();
  const json = { destination: 'crm', all: true };
  const { body } = await ask('/v1/deliveries/discard', { method: 'POST', json });
  await expect
    .poll(async () => (await ask('/v1/changes')).body)
    .toMatchObject([{ call: 'POST /v1/deliveries/discard', destination: 'crm', job: body.id, status: 200 }]);
});

test('a change is listed with the status of its answer', async () => {
  const { ask } = await withTokens();
  expect(await ask('/v1/deletions', { method: 'POST', json: { userIds: ['u1'] } })).toMatchObject({ status: 202 });
  await expect
    .poll(async () => (await ask('/v1/changes')).body)
    .toMatchObject([{ call: 'POST /v1/deletions', status: 202 }]);
});

test.each([
  [['website'], { sources: ['website'], counts: { users: 2, notifications: 2 } }],
  ['all', { counts: { users: 2, notifications: 2 } }],
])('a deletion is listed with its number of users and its sources: %s', async (sources, listed) => {
  const { ask } = await withTokens();
  const json = { userIds: ['u1', 'u2'], sources };
  await ask('/v1/deletions', { method: 'POST', json });
  const changes = async () => (await ask('/v1/changes')).body;
  await expect.poll(changes).toHaveLength(1);
  const { id, at, by, call, status, ...rest } = (await changes())[0];
  expect(call).toBe('POST /v1/deletions');
  expect(rest).toEqual(listed);
});

test('changes are listed only before an id that belongs to a change', async () => {
  const { ask } = await withTokens();
  for (const after of ['zz', `000000000-${'a'.repeat(1_500)}`])
    expect((await ask(`/v1/changes?after=${after}`)).body).toMatchObject({ code: 'invalid_query' });
});

test('changes are removed after 30 days', async () => {
  const { keyValues } = memoryStorage();
  const clock = new FakeClock();
  const onError = (error: unknown): void => expect(error).toBeUndefined();
  const changes = new Changes({ keyValues, clock, log: recordingLog(), onError });
  for (const line of ['old', 'new']) {
    changes.noteReload([line]);
    clock.advance(16 * 24 * 60 * 60_000);
  }
  await changes.sweep();
  expect(await changes.list()).toMatchObject([{ changes: ['new'] }]);
});

test('a reload is listed with what it changed, and one that changes nothing is not listed', async () => {
  const { ask, pause, service } = await withTokens();
  await pause(ANA, true);
  const { config } = service;
  await service.reload(config);
  const [website] = config.sources;
  const sources = Array.from({ length: 120 }, (_, index) => ({
    ...website,
    name: `s${index}`,
    writeKeys: [`k${index}`],
  }));
  await service.reload({ ...config, sources } as typeof config);
  await expect.poll(async () => (await ask('/v1/changes')).body.length).toBe(2);
  const [reload, paused] = (await ask('/v1/changes')).body;
  expect(paused).toMatchObject({ by: 'ana' });
  expect(reload).toMatchObject({ by: 'configuration', call: 'reload', status: 200 });
  expect([reload.changes.length, reload.changes[0], reload.changes.at(-1)]).toEqual([
    ...[101, 'source s0 is new', 'and 21 more, in the log'],
  ]);
});

test('a destination shows who disabled it, until it is enabled again', async () => {
  const { ask } = await withTokens();
  const switchedBy = async () => (await ask('/v1/destinations/crm')).body.switchedBy;
  const headers = { authorization: `Bearer ${ANA}` };
  const turn = (enabled: boolean) =>
    ask('/v1/destinations/crm/enabled', { ...{ method: 'PUT', json: { enabled } }, headers });
  expect(await switchedBy()).toBeNull();
  await turn(false);
  const first = await switchedBy();
  expect(first).toEqual({ by: 'ana', at: expect.stringMatching(/^20.*Z$/) });
  // It was disabled already.
  await turn(false);
  expect(await switchedBy()).toEqual(first);
  await turn(true);
  expect(await switchedBy()).toBeNull();
});

test('a destination shows who paused it', async () => {
  const { ask, pause } = await withTokens();
  const pausedBy = async () => (await ask('/v1/destinations/crm')).body.pausedBy;
  expect(await pausedBy()).toBeNull();
  await pause(ANA, true);
  expect(await pausedBy()).toEqual({ by: 'ana', at: expect.stringMatching(/^20.*Z$/) });
});
