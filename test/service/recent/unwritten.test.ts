import { expect, test } from 'vitest';
import { Unwritten } from '../../../src/service/recent/unwritten.js';
import { exchangedOf, range } from './support.js';

const MANY = { attempts: 1_000, bytes: 100_000_000, ageMs: 1 };

function filled(count: number, bounds: Partial<typeof MANY> = {}, message = {}): Unwritten {
  const unwritten = new Unwritten({ ...MANY, ...bounds }, { count: 0 });
  for (const id of range(1, count)) unwritten.record(exchangedOf(id, { at: 1, message }));
  return unwritten;
}

const idsIn = (unwritten: Unwritten): string[] => unwritten.take().map(({ id }) => id);

test('attempts are taken oldest first, and once', () => {
  const unwritten = filled(3);
  expect(unwritten.isEmpty).toBe(false);
  expect(idsIn(unwritten)).toEqual(['m1', 'm2', 'm3']);
  expect(unwritten.isEmpty).toBe(true);
  expect(idsIn(unwritten)).toEqual([]);
});

test('beyond a number of attempts the oldest are dropped', () => {
  expect(idsIn(filled(10, { attempts: 3 }))).toEqual(['m8', 'm9', 'm10']);
});

test('beyond a number of bytes the oldest are dropped', () => {
  const message = { filler: 'x'.repeat(9_000) };
  expect(idsIn(filled(10, { bytes: 35_000 }, message))).toEqual(['m8', 'm9', 'm10']);
});

test('an attempt that alone exceeds the bounds is dropped', () => {
  const unwritten = filled(1, { bytes: 100 });
  expect(unwritten.isEmpty).toBe(true);
});

test.each([2_005, 2_006, 2_007, 10_000])('of %d attempts the newest are left, however many were dropped', (count) => {
  const unwritten = filled(count, { attempts: 5 });
  expect(idsIn(unwritten)).toEqual(range(count - 4, count));
});

test('attempts that were taken count against no bound', () => {
  const unwritten = filled(5, { attempts: 5 });
  unwritten.take();
  for (const id of range(6, 10)) unwritten.record(exchangedOf(id, { at: 1 }));
  expect(idsIn(unwritten)).toEqual(range(6, 10));
});
