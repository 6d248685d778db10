import { expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { type Attempt, attemptOf } from '../../src/delivery/state.js';
import { EventLog, endedAt, nextQueueKey } from '../../src/store/event-log.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';

const WINDOW_MS = 60_000;

const answered = (status: number, at = 1): Attempt => attemptOf(at, at, { status }, undefined);
const ok = answered(200);
const gone = answered(410);

/** Returns a log whose store has one event for these URLs, accepted at time 1. */
async function logOf(urls: string[], { settle = 'any' as 'any' | 'each', mostAgeMs = Number.POSITIVE_INFINITY } = {}) {
  const store = new MemoryStore();
  const log = new EventLog({ store, settle, windowMs: WINDOW_MS, mostAgeMs, random: () => 0.5 });
  await store.add(newEvent('m1', 'track', urls, 1), Buffer.from('{}'));
  const record = (url: string, attempt: Attempt, at = 1) => log.record(url, { at, id: 'm1' }, attempt, attempt.at);
  return { store, log, record };
}

test('a failed attempt is recorded, and the entry tells when the next one is due', async () => {
  const { store, record } = await logOf(['a']);
  const entry = await record('a', answered(503));
  if (entry === undefined) throw new Error('not on record');
  expect(nextQueueKey(entry)).toEqual({ at: 5_001, id: 'm1' });
  expect(endedAt(entry)).toEqual([]);
  expect((await store.event('m1'))?.urls['a']).toMatchObject({ phase: 'retrying', due: 5_001 });
});

test('a success ends the other deliveries too, and has no next attempt', async () => {
  const { store, record } = await logOf(['a', 'b']);
  await record('a', answered(503));
  const entry = await record('b', ok);
  if (entry === undefined) throw new Error('not on record');
  expect([nextQueueKey(entry), endedAt(entry)]).toEqual([undefined, ['b', 'a']]);
  expect(await store.event('m1')).toBeUndefined();
});

test('an attempt at a delivery that no longer waits under its key is not recorded', async () => {
  const { store, record } = await logOf(['a']);
  await record('a', answered(503));
  const before = await store.event('m1');
  expect(await record('a', ok)).toBeUndefined();
  expect(await record('b', ok)).toBeUndefined();
  expect(await store.event('m1')).toBe(before);
});

test('a delivery that does not exist, or waits under another key, does not count as waiting', async () => {
  const { log } = await logOf(['a']);
  expect(await log.waitingAt('a', { at: 1, id: 'm1' })).toMatchObject({ state: { phase: 'pending' } });
  expect(await log.waitingAt('a', { at: 2, id: 'm1' })).toBeUndefined();
  expect(await log.waitingAt('b', { at: 1, id: 'm1' })).toBeUndefined();
  expect(await log.waitingAt('a', { at: 1, id: 'm2' })).toBeUndefined();
});

test('a delivery dies immediately if its retry would come after the longest time it may wait', async () => {
  const { store, record } = await logOf(['a'], { mostAgeMs: 8_000 });
  expect((await record('a', answered(503)))?.state).toMatchObject({ phase: 'retrying', due: 5_001 });
  const again = await record('a', answered(503, 5_001), 5_001);
  expect(again?.state).toMatchObject({ phase: 'dead', reason: 'backlog-full' });
  expect((await store.event('m1'))?.isDead).toBe(true);
});

test('a delivery expires for the given reason', async () => {
  const { log } = await logOf(['a']);
  const entry = await log.expire('a', { at: 1, id: 'm1' }, 7, 'backlog-full');
  expect(entry?.state).toEqual({ phase: 'dead', at: 7, reason: 'backlog-full', history: [] });
  expect(entry?.ending).toEqual({ as: 'dead', urls: ['a'] });
});

test('a replay restarts dead deliveries at their target, and leaves those without a target', async () => {
  const { store, log, record } = await logOf(['a', 'b', 'c'], { settle: 'each' });
  for (const url of ['a', 'b']) await record(url, gone);
  await record('c', ok);
  const targets = new Map([['a', 'd']]);
  const replayed = await log.replay(
    { id: 'm1' },
    () => ['a', 'b'],
    (url) => targets.get(url),
    50,
  );
  expect(replayed).toEqual({ begun: ['d'], left: ['b'], sent: [], isOrdered: false });
  const urls = (await store.event('m1'))?.urls;
  expect(urls).toMatchObject({ b: { phase: 'dead' }, c: { phase: 'delivered' }, d: { phase: 'pending', due: 50 } });
  expect(urls?.['a']).toBeUndefined();
});

test('a replay sends nothing to a URL that already has the event or waits for it', async () => {
  const { log, record } = await logOf(['a', 'b', 'c'], { settle: 'each' });
  await record('a', gone);
  await record('b', ok);
  for (const to of ['b', 'c']) {
    expect(
      await log.replay(
        { id: 'm1' },
        () => ['a'],
        () => to,
        50,
      ),
    ).toEqual({ begun: [], left: [], sent: ['a'], isOrdered: false });
  }
  expect(
    await log.replay(
      { id: 'm2' },
      () => ['a'],
      () => 'a',
      50,
    ),
  ).toEqual({ begun: [], left: [], sent: [], isOrdered: false });
});

test('with the rule any, replaying one delivery leaves no other letter of the event', async () => {
  const { log, record } = await logOf(['a', 'b']);
  for (const url of ['a', 'b']) await record(url, gone);
  const replayed = await log.replay(
    { id: 'm1' },
    () => ['a', 'b'],
    (url) => (url === 'a' ? 'a' : undefined),
    50,
  );
  expect(replayed).toEqual({ begun: ['a'], left: [], sent: [], isOrdered: false });
});

test('discarding the last dead delivery of an event also removes the event', async () => {
  const { store, log, record } = await logOf(['a', 'b'], { settle: 'each' });
  for (const url of ['a', 'b']) await record(url, gone);
  expect(await log.discard({ id: 'm1' }, () => ['a'])).toEqual(['a']);
  expect((await store.event('m1'))?.isDead).toBe(true);
  expect(await log.discard({ id: 'm1' }, () => ['b'])).toEqual(['b']);
  expect(await store.event('m1')).toBeUndefined();
  expect(await log.discard({ id: 'm1' }, () => ['b'])).toEqual([]);
});

test('the log tracks how long events with a place are being added, whether that succeeds or fails', async () => {
  const { log } = await logOf(['a']);
  let fail = (_: Error): void => {};
  log.adding([{ at: 4 }, { at: 4.5 }, { at: 5 }], new Promise<boolean>((_, reject) => (fail = reject)));
  log.adding([{ at: 4.5 }], Promise.resolve(true));
  log.adding([], Promise.resolve(true));
  let isKnown = false;
  const added = log.added({ at: 4.5, id: 'm2' }).then(() => (isKnown = true));
  await log.added({ at: 6, id: 'm3' });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isKnown).toBe(false);
  fail(new Error('no room'));
  await added;
});
