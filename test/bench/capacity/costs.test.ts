import fc from 'fast-check';
import { expect, test } from 'vitest';
import { at, waitingBytes } from '../../../bench/capacity/costs.js';
import measured from '../../../bench/capacity/costs.json' with { type: 'json' };
import { ROUND } from './round-costs.js';

const destinations = fc.integer({ min: 1, max: 1_000 });

test('a cost is what was measured where that was measured, and on the line between two of them', () => {
  const points = { 1: 10, 10: 100, 100: 200 };
  expect([1, 10, 100].map((count) => at(points, count))).toEqual([10, 100, 200]);
  expect(at(points, 55)).toBe(150);
});

test('a cost beyond what was measured goes on as between the last two, or the first two', () => {
  expect(at({ 10: 100, 100: 190 }, 200)).toBe(290);
  expect(at({ 10: 100, 100: 190 }, 0)).toBe(90);
  expect(at({ 1: 7 }, 50)).toBe(7);
});

test('a cost that was measured to rise rises everywhere', () => {
  fc.assert(
    fc.property(destinations, destinations, fc.tuple(fc.nat(), fc.nat(), fc.nat()), (one, other, [a, b, c]) => {
      const points = { 1: a, 10: a + b, 100: a + b + c };
      return one > other || at(points, one) <= at(points, other) + 1e-6;
    }),
  );
});

test('what waits on Redis is counted without its id', () => {
  expect(waitingBytes(ROUND, 'redis', 1)).toBe(1_000);
  expect(waitingBytes(ROUND, 'lmdb', 10)).toBe(2_800);
});

test('every cost says its unit, its command and when it was measured, and is a number', () => {
  for (const [name, { unit, command, when, ...stores }] of Object.entries(measured)) {
    for (const text of [unit, command, when]) expect(text, name).toMatch(/\w/);
    const values = Object.values(stores).flatMap((points) => Object.values(points));
    expect(values.length, name).toBeGreaterThan(0);
    for (const value of values) expect(value, name).toBeGreaterThanOrEqual(0);
  }
});
