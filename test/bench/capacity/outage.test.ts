import { expect, test } from 'vitest';
import { catchUp, drainSeconds } from '../../../bench/capacity/drain.js';
import { fleetsFor, outageBytes } from '../../../bench/capacity/fleet.js';
import { type Outage, simulateOutage } from '../../../bench/capacity/outage.js';
import { PLAN } from '../../../bench/capacity/plan.js';
import { ROOMY, ROUND } from './round-costs.js';

const HOURS = 4 * 3_600;
const outage: Outage = {
  store: 'redis',
  events: 5,
  down: 1,
  outageSeconds: HOURS,
  processes: 1,
  attemptsPerSecond: 15,
  seed: 1,
};

test('four hours of an outage hold as much memory as planned, since breakers keep first attempts waiting', () => {
  const { mostDeliveries, mostBytes, retries, dead } = simulateOutage(ROUND, outage);
  expect(mostDeliveries / (5 * HOURS)).toBeCloseTo(1, 2);
  expect(mostBytes / outageBytes(ROUND, 'redis', 5, 1, PLAN)).toBeCloseTo(1, 1);
  expect(retries / mostDeliveries).toBeLessThan(0.02);
  expect(dead).toBe(0);
});

test('ten destinations that are down share the bodies of their events', () => {
  const { mostDeliveries, mostBytes, bytes } = simulateOutage(ROUND, { ...outage, down: 10, outageSeconds: 3_600 });
  expect(mostDeliveries / (10 * 5 * 3_600)).toBeCloseTo(1, 2);
  const planned = outageBytes(ROUND, 'redis', 5, 10, { ...PLAN, outageMs: 3_600_000 });
  expect(mostBytes / planned).toBeGreaterThan(0.99);
  expect(mostBytes / planned).toBeLessThan(1.06);
  // A body goes with the last of its deliveries.
  expect(bytes.at(-1)).toBeGreaterThanOrEqual(0);
});

test('memory grows by the minute as long as the outage lasts, and goes back to nothing', () => {
  const { bytes, mostBytes } = simulateOutage(ROUND, { ...outage, outageSeconds: 3_600 });
  const during = bytes.slice(0, 60);
  expect(during).toEqual([...during].sort((one, other) => one - other));
  expect(during[29]).toBeCloseTo(mostBytes / 2, -5);
  expect(bytes.at(-1)).toBeLessThan(mostBytes / 20);
});

test('what waited goes out as fast as the spare attempts allow', () => {
  const { drainSeconds: seconds = 0, delivered } = simulateOutage(ROUND, outage);
  // Three times as many attempts as events: two thirds of them are spare.
  expect(seconds / (HOURS / 2)).toBeCloseTo(1, 1);
  expect(delivered).toBeGreaterThan(5 * HOURS);
});

test('an outage that leaves no attempts to spare is never caught up with', () => {
  expect(simulateOutage(ROUND, { ...outage, outageSeconds: 600, attemptsPerSecond: 5 }).drainSeconds).toBeUndefined();
});

test('an endpoint that answers well now and then has many retries waiting, which take more memory', () => {
  const [never, seldom] = [0, 0.15].map((answered) => simulateOutage(ROUND, { ...outage, answered }));
  expect(seldom?.retries).toBeGreaterThan(5 * (never?.retries ?? 0));
  expect(seldom?.mostBytes).toBeGreaterThan(never?.mostBytes ?? 0);
});

test('what waits longer than four hours becomes dead', () => {
  const { dead, mostDeliveries } = simulateOutage(ROUND, { ...outage, outageSeconds: HOURS + 1_800 });
  expect(dead).toBeGreaterThan(0.9 * 5 * 1_800);
  expect(mostDeliveries).toBeGreaterThanOrEqual(5 * HOURS);
});

test('a fleet as planned catches up with one destination sooner than with all', () => {
  const load = { events: 10_000, destinations: 10 };
  const fleets = fleetsFor(ROUND, load, ROOMY);
  const [one, all] = [1, 10].map((down) => drainSeconds(catchUp(ROUND, load, fleets, down, PLAN), PLAN));
  expect(one).toBeLessThan(3_600);
  expect(all).toBeGreaterThan(HOURS);
});
