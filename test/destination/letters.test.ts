import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DeadLetter } from '../../src/destination/dead-letters.js';
import type { Destination } from '../../src/destination/destination.js';
import { openLmdbStore } from '../../src/store/lmdb/lmdb-store.js';
import { type Reaction, startEndpoint } from '../scheduler/test-endpoint.js';
import { FakeClock } from '../support/fake-clock.js';
import { next, openDestination } from './open.js';
import { track } from './track.js';

const lettersOf = async (letters: AsyncIterable<DeadLetter>): Promise<DeadLetter[]> => {
  const all: DeadLetter[] = [];
  for await (const letter of letters) all.push(letter);
  return all;
};

const idsOf = async (letters: AsyncIterable<DeadLetter>): Promise<string[]> =>
  (await lettersOf(letters)).map(({ id }) => id);

const HOUR = 60 * 60_000;

/** Three dead letters, an hour apart: a track, a delete, a track. */
async function withLetters(
  ...reactions: number[]
): Promise<{ destination: Destination; url: string; clock: FakeClock; ids: string[] }> {
  const endpoint = await startEndpoint(404, 404, 404, ...reactions);
  const { destination, clock } = await openDestination({ webhooks: [{ url: endpoint.url }] });
  const ids: string[] = [];
  for (const message of [track('m1'), { type: 'delete', userId: 'u1', timestamp: 0 } as const, track('m3')]) {
    const dead = next(destination, 'dead');
    ids.push((await destination.deliver(message)).id);
    await dead;
    await clock.pass(HOUR);
  }
  return { destination, url: endpoint.url, clock, ids };
}

describe('dead letters', () => {
  test('are listed with the reason and the attempts', async () => {
    const { destination, url } = await withLetters();
    const [letter] = await lettersOf(destination.deadLetters());
    expect(letter).toMatchObject({ id: 'm1', type: 'track', endpoint: url, reason: 'permanent' });
    expect(letter?.attempts).toMatchObject([{ result: 'rejected', status: 404 }]);
  });

  test('show how the last answer began, and no other', async () => {
    const answer: Reaction = (_, response) => response.writeHead(404).end('no such thing: hunter2hunter2');
    const endpoint = await startEndpoint((_, response) => response.writeHead(503).end('busy'), answer, answer);
    const webhooks = [{ url: endpoint.url, secret: 'hunter2hunter2' }];
    for (const [keepAnswers, expected] of [
      [undefined, 'no such thing: ***'],
      [false, undefined],
    ] as const) {
      const { destination, clock } = await openDestination({ webhooks, keepAnswers });
      const [first, dead] = [next(destination, 'attempt'), next(destination, 'dead')];
      await destination.deliver(track('m1'));
      if (keepAnswers === undefined) {
        expect((await first).attempt).toMatchObject({ status: 503, answer: 'busy' });
        await clock.pass(5_000);
      }
      await dead;
      const [letter] = await lettersOf(destination.deadLetters());
      expect(letter?.attempts.map((attempt) => attempt.answer)).toEqual(
        keepAnswers === undefined ? [undefined, expected] : [expected],
      );
    }
  });

  test('are found by id, endpoint, type and time', async () => {
    const { destination, url, clock, ids } = await withLetters();
    const [m1 = '', deletion = '', m3 = ''] = ids;
    const first = clock.now() - 3 * HOUR;
    const find = (filter: Parameters<Destination['deadLetters']>[0]) => idsOf(destination.deadLetters(filter));
    expect(await find({})).toEqual([m1, deletion, m3]);
    expect(await find({ id: m3 })).toEqual([m3]);
    expect(await find({ id: 'none' })).toEqual([]);
    expect(await find({ endpoint: url })).toEqual([m1, deletion, m3]);
    expect(await find({ endpoint: 'https://example.com/' })).toEqual([]);
    expect(await find({ type: 'delete' })).toEqual([deletion]);
    expect(await find({ from: first + 1 })).toEqual([deletion, m3]);
    expect(await find({ from: new Date(first), to: new Date(first + HOUR) })).toEqual([m1]);
    expect(await find({ type: 'track', from: first + 1 })).toEqual([m3]);
    expect(await find({ id: m1, from: first + 1 })).toEqual([]);
  });

  test('that are replayed go out again with the same bytes, and are letters no more', async () => {
    const endpoint = await startEndpoint(410, 200);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    const dead = next(destination, 'dead');
    await destination.deliver(track('m1'));
    await dead;
    expect(await destination.replay({ id: 'm1' })).toBe(1);
    await destination.idle();
    expect(endpoint.received[1]?.body).toEqual(endpoint.received[0]?.body);
    expect(await idsOf(destination.deadLetters())).toEqual([]);
    expect(destination.counters()).toMatchObject({ dead: 1, replayed: 1, delivered: 1 });
  });

  test('that fail again are letters again, with the whole history', async () => {
    const { destination } = await withLetters(404);
    const again = next(destination, 'dead');
    await destination.replay({ id: 'm1' });
    const { endpoints } = await again;
    expect(endpoints[0]?.attempts).toHaveLength(2);
  });

  test('are replayed by type', async () => {
    const { destination, ids } = await withLetters(200);
    expect(await destination.replay({ type: 'delete' })).toBe(1);
    await destination.idle();
    expect(await idsOf(destination.deadLetters())).toEqual([ids[0], ids[2]]);
  });

  test('that are discarded are gone, and their ids may come again', async () => {
    const { destination, ids } = await withLetters(200);
    expect(await destination.discard({ type: 'track' })).toBe(2);
    expect(await idsOf(destination.deadLetters())).toEqual([ids[1]]);
    expect((await destination.deliver(track('m1'))).status).toBe('accepted');
    await destination.idle();
  });

  test('are not taken a second time while they are there', async () => {
    const { destination } = await withLetters();
    expect(await destination.deliver(track('m1'))).toEqual({ id: 'm1', status: 'duplicate' });
  });

  test('of several URLs are replayed only where they are dead', async () => {
    const [good, bad] = [await startEndpoint(200), await startEndpoint(404, 200)];
    const { destination } = await openDestination({
      webhooks: [good, bad].map(({ url }) => ({ url })),
      settle: 'each',
    });
    await destination.deliver(track('m1'));
    await destination.idle();
    expect(await destination.replay({})).toBe(1);
    await destination.idle();
    expect([good.received.length, bad.received.length]).toEqual([1, 2]);
    expect(await destination.explain('m1')).toBeUndefined();
  });
});

describe('explain', () => {
  test('says which rule the last answer fell under, and when the next attempt is due', async () => {
    const endpoint = await startEndpoint(503);
    const { destination, clock } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    const made = next(destination, 'attempt');
    await destination.deliver(track('m1'));
    await made;
    expect(await destination.explain('m1')).toEqual({
      id: 'm1',
      type: 'track',
      acceptedAt: clock.now(),
      settle: 'any',
      endpoints: [
        {
          url: endpoint.url,
          phase: 'retrying',
          attempts: [{ at: clock.now(), durationMs: 0, result: 'server-error', status: 503 }],
          rule: 'every 5xx is the endpoint failing for now, and is tried again',
          failing: false,
          nextAttemptAt: clock.now() + 5_000,
          triedUntil: clock.now() + 14_400_000,
          why: 'its next attempt is not due yet',
        },
      ],
    });
  });

  test('says that a request is under way', async () => {
    const endpoint = await startEndpoint(() => {});
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    await destination.deliver(track('m1'));
    expect((await destination.explain('m1'))?.endpoints[0]).toMatchObject({
      phase: 'in flight',
      rule: undefined,
      why: 'a request is under way',
    });
  });

  test('says that something waits for its turn', async () => {
    const endpoint = await startEndpoint(() => {});
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }], concurrency: 1 });
    for (const id of ['m1', 'm2']) await destination.deliver(track(id));
    expect((await destination.explain('m2'))?.endpoints[0]).toMatchObject({
      phase: 'pending',
      why: expect.stringContaining('its turn has not come'),
    });
  });

  test('says that the circuit breaker of the endpoint is open, and until when', async () => {
    const endpoint = await startEndpoint(500);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }], concurrency: 1 });
    const opened = next(destination, 'breaker');
    for (let count = 0; count < 12; count++) await destination.deliver(track(`m${count}`));
    await destination.deliver(track('the last'));
    const { state, openUntil } = await opened;
    expect(state).toBe('open');
    expect(destination.endpoints()).toMatchObject([{ state: 'open', openUntil }]);
    expect((await destination.explain('the last'))?.endpoints[0]).toMatchObject({
      phase: 'pending',
      nextAttemptAt: openUntil,
      why: 'the circuit breaker of the endpoint is open, as it failed many times in a row',
    });
  });

  test('says why an event is dead', async () => {
    const { destination } = await withLetters();
    expect((await destination.explain('m1'))?.endpoints[0]).toMatchObject({
      phase: 'dead',
      nextAttemptAt: undefined,
      why: 'the last answer is one that another attempt would not change',
    });
  });

  test('knows nothing of what was delivered or never came', async () => {
    const endpoint = await startEndpoint(200);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    await destination.deliver(track('m1'));
    await destination.idle();
    expect(await destination.explain('m1')).toBeUndefined();
    expect(await destination.explain('none')).toBeUndefined();
  });
});

describe('a restart', () => {
  const folder = (): string => {
    const path = mkdtempSync(join(tmpdir(), 'eventferry-'));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    return path;
  };

  test('goes on with what was stored, with the same bytes and the same schedule', async () => {
    const path = folder();
    const clock = new FakeClock();
    const endpoint = await startEndpoint(503, 200);
    const settings = { webhooks: [{ url: endpoint.url }], sharedSecret: 'shhh' };
    const before = await openDestination(
      { ...settings, store: await openLmdbStore({ path, lock: 'alone' }) },
      { clock },
    );
    const failed = next(before.destination, 'attempt');
    await before.destination.deliver(track('m1'));
    await failed;
    await before.destination.close();

    const after = await openDestination(
      { ...settings, store: await openLmdbStore({ path, lock: 'alone' }) },
      { clock },
    );
    expect(after.destination.endpoints()).toMatchObject([{ waiting: 1 }]);
    await expect.poll(() => after.destination.endpoints()[0]?.oldestDue).toBe(clock.now() + 5_000);
    const made = next(after.destination, 'attempt');
    await clock.pass(5_000);
    await made;
    await after.destination.idle();
    expect(endpoint.received[1]?.body).toEqual(endpoint.received[0]?.body);
    expect(endpoint.received[1]?.headers).toEqual(endpoint.received[0]?.headers);
  });

  test('without one of the webhooks makes dead letters of what waited for it', async () => {
    const path = folder();
    const clock = new FakeClock();
    const [old, current] = [await startEndpoint(503), await startEndpoint(200)];
    const both = [{ url: old.url, id: 'old' }, { url: current.url }];
    const before = await openDestination(
      { webhooks: both, store: await openLmdbStore({ path, lock: 'alone' }), settle: 'each' },
      { clock },
    );
    const failed = next(before.destination, 'attempt', ({ endpoint }) => endpoint === old.url);
    await before.destination.deliver(track('m1'));
    await failed;
    await before.destination.close();

    const after = await openDestination(
      { webhooks: [{ url: current.url }], store: await openLmdbStore({ path, lock: 'alone' }), settle: 'each' },
      { clock },
    );
    expect(after.destination.endpoints()).toMatchObject([{ url: current.url }, { url: old.url, waiting: 1 }]);
    const dead = next(after.destination, 'dead');
    await expect.poll(() => after.destination.endpoints()[1]?.oldestDue).toBe(clock.now() + 5_000);
    await clock.pass(5_000);
    expect((await dead).endpoints).toMatchObject([
      { id: 'old', url: old.url, reason: 'permanent', attempts: [{ status: 503 }, { code: 'REMOVED' }] },
    ]);
    expect([old.received.length, current.received.length]).toEqual([1, 1]);
  });
});
