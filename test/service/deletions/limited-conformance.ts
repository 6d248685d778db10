import { describe, expect, onTestFinished, test } from 'vitest';
import { basic, post } from '../../collector/support.js';
import { startEndpoint, type TestEndpoint } from '../../scheduler/test-endpoint.js';
import type { StorageUnderTest } from '../../store/storage-under-test.js';
import { configOf, destinationOf, serving, sourceOf, TOKEN, track } from '../support.js';

const typesAt = ({ received }: TestEndpoint): string[] =>
  received.map(({ body }) => {
    const { type, messageId = '' } = JSON.parse(body.toString());
    return `${type} ${messageId}`.trim();
  });

/** Tests on every storage what a deletion for one of two customers may reach if both have a user with the same id. */
export function describeLimitedDeletions({ name, lasts, setUp }: StorageUnderTest): void {
  const start = async () => {
    const [one, other] = await Promise.all([startEndpoint(400, 200), startEndpoint(400, 200)]);
    const storage = await (await setUp())();
    if (lasts) onTestFinished(() => storage.close());
    const { ask, url, service } = await serving(
      configOf({
        sources: [
          sourceOf({ name: 'one', writeKeys: ['one'], destinations: ['one'] }),
          sourceOf({ name: 'other', writeKeys: ['other'], destinations: ['other'] }),
        ],
        destinations: [destinationOf(one.url, { name: 'one' }), destinationOf(other.url, { name: 'other' })],
        audiences: { destinations: ['other'] },
      }),
      { storage },
    );
    for (const customer of ['one', 'other'])
      await post(url, { batch: [track(`dead ${customer}`, { userId: '1' })] }, { authorization: basic(customer) });
    await expect.poll(() => service.destinations().map((each) => each.counters().dead)).toEqual([1, 1]);
    const pause = (paused: boolean) =>
      Promise.all(
        ['one', 'other'].map((each) => ask(`/v1/destinations/${each}/paused`, { method: 'PUT', json: { paused } })),
      );
    await pause(true);
    for (const customer of ['one', 'other'])
      await post(url, { batch: [track(`waits ${customer}`, { userId: '1' })] }, { authorization: basic(customer) });
    await fetch(`${url}/v1/audiences/VIPs`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/x-ndjson' },
      body: '"1"',
    });
    const asked = (json: object) => ask('/v1/deletions', { method: 'POST', json: { userIds: ['1'], ...json } });
    const finish = async (id: string) => {
      await expect.poll(async () => (await ask(`/v1/deletions/${id}`)).body.status, { timeout: 20_000 }).toBe('done');
      return (await ask(`/v1/deletions/${id}`)).body;
    };
    const ids = async (query: string): Promise<string[]> =>
      (await ask(`/v1/deliveries?${query}`)).body.deliveries.map(({ id, type }: Record<string, string>) =>
        type === 'track' ? id : type,
      );
    // A count first writes the attempts that are still in memory.
    await asked({ dryRun: true, sources: 'all' });
    return { one, other, ask, asked, finish, pause, ids };
  };

  const rowOf = (source: string, row: object = {}) => ({
    source,
    destinations: [source],
    notifications: 1,
    waiting: 1,
    dead: 1,
    attempts: 1,
    ...row,
  });

  describe(`a deletion among customers with the same user ids, in ${name}`, () => {
    test('a dry run counts what would be erased of each source, and erases nothing', async () => {
      const { ask, asked, ids } = await start();
      const audiences = { destinations: [], notifications: 0, waiting: 1, dead: 0, attempts: 0 };
      expect(await asked({ dryRun: true })).toMatchObject({
        status: 200,
        body: {
          users: 1,
          notifications: 2,
          memberships: 1,
          bySource: [rowOf('one'), rowOf('other'), rowOf('(audiences)', audiences)],
        },
      });
      expect((await asked({ dryRun: true, sources: ['one'] })).body).toEqual({
        users: 1,
        notifications: 1,
        memberships: 0,
        bySource: [rowOf('one')],
      });
      expect((await ask('/v1/deletions')).body).toEqual([]);
      const calls = (await ask('/v1/changes')).body.map(({ call }: { call: string }) => call);
      expect(calls).not.toContain('POST /v1/deletions');
      expect(await ids('phase=dead')).toEqual(['dead one', 'dead other']);
    });

    test('a deletion that is limited to sources erases only their events', async () => {
      const { one, other, ask, asked, finish, pause, ids } = await start();
      const { status, body } = await asked({ sources: ['one'] });
      expect({ status, body }).toMatchObject({ status: 202, body: { notifications: 1, sources: ['one'] } });
      expect(await finish(body.id)).toMatchObject({ sources: ['one'], limited: true, done: 1, erased: 1 });
      expect(await ids('phase=dead')).toEqual(['dead other']);
      expect(await ids('event=Order%20Completed')).toEqual(['waits other', 'dead other']);
      expect((await ask('/v1/audiences/VIPs')).body).toMatchObject({ members: 1 });
      await pause(false);
      await Promise.all([one.has(2), other.has(3)]);
      await expect.poll(async () => ids('phase=waiting')).toEqual([]);
      expect([typesAt(one), typesAt(other).toSorted()]).toEqual(
        [
          ['track dead one', 'delete'],
          ['identify', 'track dead other', 'track waits other'],
        ].map((each) => each.map((type) => expect.stringContaining(type))),
      );
    });

    test('a deletion without a limit erases the events of every source and of audiences', async () => {
      const { one, other, ask, asked, finish, pause, ids } = await start();
      const { body } = await asked({ sources: 'all' });
      expect(await finish(body.id)).toMatchObject({ sources: ['one', 'other'], limited: false, done: 2, erased: 2 });
      expect(await ids('phase=dead')).toEqual([]);
      expect((await ask('/v1/audiences/VIPs')).body).toMatchObject({ members: 0 });
      await pause(false);
      // The other customer is notified that the user has left the audience before it is notified of the deletion.
      await Promise.all([one.has(2), other.has(3)]);
      await expect.poll(async () => ids('phase=waiting')).toEqual([]);
      expect([typesAt(one), typesAt(other)].map((types) => types.map((type) => type.split(' ')[0]))).toEqual([
        ['track', 'delete'],
        ['track', 'identify', 'delete'],
      ]);
    });

    test('a deletion that is limited to audiences keeps the events of every source', async () => {
      const { ask, asked, finish, ids } = await start();
      const { body } = await asked({ sources: ['(audiences)'] });
      expect(await finish(body.id)).toMatchObject({ sources: ['(audiences)'], notifications: 0, erased: 0 });
      expect((await ask('/v1/audiences/VIPs')).body).toMatchObject({ members: 0 });
      expect(await ids('phase=dead')).toEqual(['dead one', 'dead other']);
    });
  });
}
