import { expect, test } from 'vitest';
import { PLAN } from '../../../bench/capacity/plan.js';
import { eventsInFlight, eventsPerCore, eventsPerProcess, eventsPerRedis } from '../../../bench/capacity/rates.js';
import { ROUND } from './round-costs.js';

test('a core carries as many events a second as their µs go into a second', () => {
  expect(eventsPerCore(ROUND, 'lmdb', 1)).toBe(5_000);
  expect(eventsPerCore(ROUND, 'redis', 100)).toBeCloseTo(1e6 / 10_100);
});

test('a Redis carries as many events a second as its main thread has time for', () => {
  expect(eventsPerRedis(ROUND, 1)).toBe(25_000);
});

test('a process is planned to use three fifths of its core', () => {
  expect(eventsPerProcess(ROUND, 'redis', 10, PLAN)).toBeCloseTo((0.6 * 1e6) / 1_100);
});

test('a process carries no more events than it may have requests in flight to an endpoint', () => {
  expect(eventsInFlight({ ...PLAN, concurrency: 64, answerMs: 50 })).toBe(1_280);
  expect(eventsPerProcess(ROUND, 'redis', 1, { ...PLAN, answerMs: 50 })).toBe(1_280);
});
