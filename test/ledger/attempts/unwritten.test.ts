import { expect, test } from 'vitest';
import {
  type Holders,
  kindOfAttempt,
  type TakenAttempts,
  Unwritten,
  UnwrittenAttempts,
} from '../../../src/ledger/attempts/unwritten.js';
import { exchangedOf, range } from './support.js';

const ALL = Number.POSITIVE_INFINITY;
const failed = { isRetried: true };

function filled(ids: readonly string[], made: object = {}, holders: Holders = { count: 0 }): Unwritten {
  const unwritten = new Unwritten(holders);
  for (const id of ids) unwritten.record(exchangedOf(id, { at: 1, ...made }));
  return unwritten;
}

const idsIn = (taken: readonly TakenAttempts[], kind: TakenAttempts['kind']): string[] =>
  taken.find((each) => each.kind === kind)?.attempts.map(({ id }) => id) ?? [];

test('an attempt that succeeded at once, or after its event was settled, is a success; a later success is kept with the failures', () => {
  expect(kindOfAttempt(exchangedOf('m1', { at: 1 }))).toBe('successes');
  expect(kindOfAttempt(exchangedOf('m1', { at: 1, isSettled: true }))).toBe('successes');
  expect(kindOfAttempt(exchangedOf('m1', { at: 1, number: 2 }))).toBe('failures');
  expect(kindOfAttempt(exchangedOf('m1', { at: 1, isRetried: true }))).toBe('failures');
});

test('attempts are taken by kind, oldest first, and only once', () => {
  const unwritten = filled(range(1, 3));
  unwritten.record(exchangedOf('f1', { at: 1, ...failed }));
  unwritten.record(exchangedOf('after f1', { at: 1, number: 2 }));
  expect(unwritten.isEmpty).toBe(false);
  expect(unwritten.succeeded).toBe(3);
  const taken = unwritten.take(ALL);
  expect(idsIn(taken, 'successes')).toEqual(['m1', 'm2', 'm3']);
  expect(idsIn(taken, 'failures')).toEqual(['f1', 'after f1']);
  expect([unwritten.isEmpty, unwritten.succeeded]).toEqual([true, 0]);
  expect(idsIn(unwritten.take(ALL), 'successes')).toEqual([]);
});

test('if there are more successes than are kept, the newest are taken', () => {
  const unwritten = filled(range(1, 1_000));
  unwritten.record(exchangedOf('f1', { at: 1, ...failed }));
  const first = unwritten.take(100);
  expect(idsIn(first, 'successes')).toEqual(range(901, 1_000));
  expect(idsIn(first, 'failures')).toEqual(['f1']);
});

test('failures take the memory of successes, and once that is full the newest are left out', () => {
  const message = { filler: 'x'.repeat(999_000) };
  const unwritten = filled(range(1, 10), { message });
  for (const id of range(11, 30)) unwritten.record(exchangedOf(id, { at: 1, message, ...failed }));
  const taken = unwritten.take(ALL);
  expect(idsIn(taken, 'successes')).toEqual([]);
  expect(idsIn(taken, 'failures')).toEqual(range(11, 25));
});

test('a destination whose only success is dropped for a failure still counts once as holding memory', () => {
  const failure = exchangedOf('f1', { at: 1, ...failed });
  const holders = { count: Math.floor(16_000_000 / (failure.exchange.bytes + 10)) };
  const { count } = holders;
  const unwritten = filled(['m1'], {}, holders);
  unwritten.record(failure);
  expect(holders.count).toBe(count + 1);
  const taken = unwritten.take(ALL);
  expect([idsIn(taken, 'failures'), idsIn(taken, 'successes')]).toEqual([['f1'], []]);
  expect(holders.count).toBe(count);
});

test('all destinations share the memory for unwritten attempts', () => {
  const holders = { count: 0 };
  const message = { filler: 'x'.repeat(999_000) };
  const many = Array.from({ length: 4 }, () => filled(['m0'], { message }, holders));
  expect(holders.count).toBe(4);
  const [first] = many;
  for (const id of range(1, 9)) first?.record(exchangedOf(id, { at: 1, message }));
  const held = idsIn(first?.take(ALL) ?? [], 'successes');
  expect(held.length).toBeLessThanOrEqual(4);
  expect(held.at(-1)).toBe('m9');
  for (const each of many) each.take(ALL);
  expect(holders.count).toBe(0);
});

test('the first failure of each result since the last write is kept, however little memory a destination has', () => {
  const holders = { count: 1_000_000 };
  const unwritten = filled(range(1, 3), failed, holders);
  const timedOut = exchangedOf('t1', { at: 1, ...failed });
  const attempt = { at: 1, durationMs: 1, result: 'timeout', code: 'TIMEOUT' } as const;
  for (const id of ['t1', 't2']) unwritten.record({ ...timedOut, id, attempt });
  const taken = unwritten.take(ALL);
  expect(idsIn(taken, 'failures')).toEqual(['m1', 't1']);
  expect(holders.count).toBe(1_000_000);
  unwritten.record(exchangedOf('m4', { at: 1, ...failed }));
  expect(idsIn(unwritten.take(ALL), 'failures')).toEqual(['m4']);
});

test('a destination with nothing left to write is not listed', () => {
  const unwritten = new UnwrittenAttempts();
  unwritten.record(exchangedOf('m1', { at: 1 }));
  expect(unwritten.byDestination().map(([destination]) => destination)).toEqual(['crm']);
  for (const [, each] of unwritten.byDestination()) each.take(ALL);
  expect(unwritten.byDestination()).toEqual([]);
});

test('a destination holds one success even without free memory, and counts once as holding memory', () => {
  const holders = { count: 1_000_000 };
  const unwritten = filled(range(1, 3), {}, holders);
  expect(holders.count).toBe(1_000_001);
  expect(idsIn(unwritten.take(ALL), 'successes')).toEqual(['m3']);
  expect(holders.count).toBe(1_000_000);
});

test('a failure that is left out takes no memory from later successes', () => {
  const message = { filler: 'x'.repeat(1_600_000) };
  const unwritten = filled(range(1, 9), { message, ...failed });
  for (const id of range(10, 13)) unwritten.record(exchangedOf(id, { at: 1, message, ...failed }));
  for (const id of range(14, 23)) unwritten.record(exchangedOf(id, { at: 1 }));
  const taken = unwritten.take(ALL);
  expect(idsIn(taken, 'failures')).toEqual(range(1, 9));
  expect(idsIn(taken, 'successes')).toEqual(range(14, 23));
});
