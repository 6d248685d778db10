import { describe, expect, test } from 'vitest';
import { Allowance } from '../../../src/ledger/attempts/allowance.js';

const GIGABYTE = 1_000_000_000;

describe('the allowance of successes', () => {
  test('the allowance of successes keeps all of them while they are few', () => {
    const allowance = new Allowance();
    for (let second = 0; second < 100; second++)
      expect(allowance.levelOf([20, 10], GIGABYTE, second * 1_000)).toBe(Number.POSITIVE_INFINITY);
  });

  test("the allowance of successes fills the space within a day, and keeps at most an hour's share at once", () => {
    const allowance = new Allowance();
    let kept = 0;
    for (let minute = 0; minute < 24 * 60; minute++)
      kept += Math.min(1_000_000, allowance.levelOf([1_000_000], GIGABYTE, minute * 60_000));
    const day = GIGABYTE / 400;
    expect(kept).toBeGreaterThan(day);
    expect(kept).toBeLessThan(day * (25 / 24) + 1);
  });

  test('the allowance of successes lets a destination with few successes keep all of them beside one with very many', () => {
    const allowance = new Allowance();
    allowance.levelOf([1_000_000], GIGABYTE, 0);
    const level = allowance.levelOf([3, 1_000_000, 3], GIGABYTE, 1_000);
    expect(level).toBeGreaterThan(3);
    expect(level).toBeLessThan(40);
  });

  test('the allowance of successes is small if there is little space', () => {
    const allowance = new Allowance();
    allowance.levelOf([1_000_000], GIGABYTE / 10, 0);
    expect(allowance.levelOf([1_000_000], GIGABYTE / 10, 1_000)).toBeCloseTo(3, 0);
  });
});

test('if the allowance of a second is less than one success for each destination, it adds up until each may keep one', () => {
  const allowance = new Allowance();
  const succeeded = Array.from({ length: 20 }, () => 1);
  allowance.levelOf([1_000_000], GIGABYTE / 8, 0);
  let kept = 0;
  for (let second = 1; second <= 600; second++) {
    const level = allowance.levelOf(succeeded, GIGABYTE / 8, second * 1_000);
    expect(level).toBeGreaterThanOrEqual(0);
    kept += succeeded.reduce((sum, count) => sum + Math.min(count, level), 0);
  }
  const perSecond = GIGABYTE / 8 / 400 / 86_400;
  expect(kept).toBeGreaterThan(600 * perSecond * 0.9);
  expect(kept).toBeLessThanOrEqual(600 * perSecond + 20);
});

test("after a day with few successes, the allowance keeps at most an hour's share at once", () => {
  const allowance = new Allowance();
  for (let minute = 0; minute < 24 * 60; minute++) allowance.levelOf([1], GIGABYTE, minute * 60_000);
  expect(allowance.levelOf([1_000_000_000], GIGABYTE, 24 * 60 * 60_000)).toBeLessThanOrEqual(GIGABYTE / 400 / 24);
});
