import { expect, test } from 'vitest';
import {
  kindOfAttempt,
  type TakenAttempts,
  Unwritten,
  UnwrittenAttempts,
} from '../../../src/ledger/attempts/unwritten.js';
import { exchangedOf, range } from './support.js';

const ALL = Number.POSITIVE_INFINITY;
const failed = { isRetried: true };

const MOST_BYTES = 16_000_000;

function filled(ids: readonly string[], made: object = {}, mostBytes = MOST_BYTES): Unwritten {
  const unwritten = new Unwritten();
  for (const id of ids) unwritten.record(exchangedOf(id, { at: 1, ...made }), mostBytes);
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

test('attempts are returned by kind, oldest first', () => {
  const unwritten = filled(range(1, 3));
  unwritten.record(exchangedOf('f1', { at: 1, ...failed }), MOST_BYTES);
  unwritten.record(exchangedOf('after f1', { at: 1, number: 2 }), MOST_BYTES);
  expect(unwritten.succeeded).toBe(3);
  const taken = unwritten.attempts(ALL);
  expect(idsIn(taken, 'successes')).toEqual(['m1', 'm2', 'm3']);
  expect(idsIn(taken, 'failures')).toEqual(['f1', 'after f1']);
});

test('if there are more successes than are kept, the newest are returned', () => {
  const unwritten = filled(range(1, 1_000));
  unwritten.record(exchangedOf('f1', { at: 1, ...failed }), MOST_BYTES);
  const first = unwritten.attempts(100);
  expect(idsIn(first, 'successes')).toEqual(range(901, 1_000));
  expect(idsIn(first, 'failures')).toEqual(['f1']);
});

test('failures take the memory of successes, and once that is full the newest are left out', () => {
  const message = { filler: 'x'.repeat(999_000) };
  const unwritten = filled(range(1, 10), { message });
  for (const id of range(11, 30)) unwritten.record(exchangedOf(id, { at: 1, message, ...failed }), MOST_BYTES);
  const taken = unwritten.attempts(ALL);
  expect(idsIn(taken, 'successes')).toEqual([]);
  expect(idsIn(taken, 'failures')).toEqual(range(11, 25));
});

test('all destinations share the memory for unwritten attempts, and attempts that were taken use none of it', () => {
  const message = { filler: 'x'.repeat(999_000) };
  const all = new UnwrittenAttempts();
  const record = (destination: string, id: string): void =>
    all.record({ ...exchangedOf(id, { at: 1, message }), destination });
  const heldAt = (taken: ReturnType<typeof all.takeAll>, name: string): string[] =>
    taken.flatMap(([destination, each]) => (destination === name ? idsIn(each.attempts(ALL), 'successes') : []));
  for (const destination of ['ads', 'lake', 'mail']) record(destination, 'm0');
  for (const id of range(1, 9)) record('crm', id);
  const held = heldAt(all.takeAll(), 'crm');
  expect(held.length).toBeLessThanOrEqual(4);
  expect(held.at(-1)).toBe('m9');
  for (const id of range(1, 9)) record('crm', id);
  expect(heldAt(all.takeAll(), 'crm')).toEqual(range(1, 9));
});

test('the first failure of each result is kept, however little memory a destination has', () => {
  const unwritten = filled(range(1, 3), failed, 10);
  const timedOut = exchangedOf('t1', { at: 1, ...failed });
  const attempt = { at: 1, durationMs: 1, result: 'timeout', code: 'TIMEOUT' } as const;
  for (const id of ['t1', 't2']) unwritten.record({ ...timedOut, id, attempt }, 10);
  expect(idsIn(unwritten.attempts(ALL), 'failures')).toEqual(['m1', 't1']);
});

test('attempts are taken once, and a destination with nothing left to write is not listed', () => {
  const unwritten = new UnwrittenAttempts();
  unwritten.record(exchangedOf('m1', { at: 1 }));
  expect(unwritten.isEmpty).toBe(false);
  expect(unwritten.takeAll().map(([destination]) => destination)).toEqual(['crm']);
  expect([unwritten.isEmpty, unwritten.takeAll()]).toEqual([true, []]);
});

test('a destination holds one success even without free memory, and counts all successes', () => {
  const unwritten = filled(range(1, 3), {}, 10);
  expect(idsIn(unwritten.attempts(ALL), 'successes')).toEqual(['m3']);
  expect(unwritten.succeeded).toBe(3);
});

test('a failure that is left out takes no memory from later successes', () => {
  const message = { filler: 'x'.repeat(1_600_000) };
  const unwritten = filled(range(1, 9), { message, ...failed });
  for (const id of range(10, 13)) unwritten.record(exchangedOf(id, { at: 1, message, ...failed }), MOST_BYTES);
  for (const id of range(14, 23)) unwritten.record(exchangedOf(id, { at: 1 }), MOST_BYTES);
  const taken = unwritten.attempts(ALL);
  expect(idsIn(taken, 'failures')).toEqual(range(1, 9));
  expect(idsIn(taken, 'successes')).toEqual(range(14, 23));
});
