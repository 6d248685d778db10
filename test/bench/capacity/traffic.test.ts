import { expect, test } from 'vitest';
import { simulateTraffic, type Traffic } from '../../../bench/capacity/traffic.js';
import { ROOMY, ROUND } from './round-costs.js';

/** Two processes carry 1,818 such events a second, one Redis 4,545. */
const FULL = 2 * (1e6 / 1_100);
const at = (share: number, rest: Partial<Traffic> = {}) =>
  simulateTraffic(
    ROUND,
    {
      store: 'redis',
      load: { events: FULL * share, destinations: 10 },
      fleet: { processes: 2, masters: 1 },
      seconds: 20,
      seed: 1,
      ...rest,
    },
    ROOMY,
  );

test('processes and Redis are as busy as the arithmetic says', () => {
  const { processes, masters } = at(0.6, { seconds: 60 });
  expect(processes).toBeCloseTo(0.6, 1);
  expect(masters).toBeCloseTo(0.6 * FULL * 220e-6, 1);
});

test('traffic as planned waits for less than a fifth of a second, bursts included, and leaves nothing behind', () => {
  for (const seed of [1, 2, 3]) {
    const { p99Ms, backlog } = at(0.6, { seed });
    expect(p99Ms).toBeLessThan(200);
    // Less than comes in a quarter of a second.
    expect(backlog.at(-1)).toBeLessThan(FULL * 0.6 * 10 * 0.25);
  }
});

test('a tenth more than processes carry waits longer and longer', () => {
  const { processes, backlog, p99Ms } = at(1.1, { seconds: 60 });
  const [middle = 0, end = 0] = [backlog[299], backlog.at(-1)];
  expect(processes).toBeGreaterThan(0.99);
  expect(middle).toBeGreaterThan(0);
  expect(end).toBeGreaterThan(1.4 * middle);
  expect(p99Ms).toBeGreaterThan(1_000);
});

test('the busier processes are, the longer events wait', () => {
  const waits = [0.3, 0.6, 0.9, 1.1].map((share) => at(share).p99Ms);
  expect(waits).toEqual([...waits].sort((one, other) => one - other));
});

test('a Redis that has more to do than it can holds up the processes', () => {
  const { processes, masters, backlog } = at(3, { fleet: { processes: 10, masters: 1 } });
  // The rest of the time it waits for its disk.
  expect(masters).toBeGreaterThan(0.85);
  expect(processes).toBeLessThan(0.9);
  expect(backlog.at(-1)).toBeGreaterThan(5_000);
  // Three of them share it.
  expect(at(3, { fleet: { processes: 10, masters: 3 } }).backlog.at(-1)).toBeLessThan(5_000);
});

test('endpoints that are slow hold up what there are not requests enough for', () => {
  const slow = {
    store: 'lmdb',
    load: { events: 1_000, destinations: 1 },
    fleet: { processes: 1, masters: 1 },
    seconds: 10,
    seed: 1,
  } as const;
  // 64 at a time, a tenth of a second each: 640 of 1,000 a second.
  const { tried, processes } = simulateTraffic(ROUND, slow, { ...ROOMY, answerMs: 100 });
  expect(tried).toBeLessThan(6_400 * 1.1);
  expect(tried).toBeGreaterThan(6_400 * 0.5);
  expect(processes).toBeLessThan(0.2);
});

test('clients that wait for their answers get as much through as a core has time for', () => {
  const { tried, endedAt, answeredMs } = at(1, {
    store: 'lmdb',
    fleet: { processes: 1, masters: 1 },
    clients: { count: 16, requests: 100 },
  });
  expect(tried).toBe(100 * 20 * 10);
  expect(tried / 10 / endedAt).toBeCloseTo(1e6 / 1_100, -2);
  expect(answeredMs).toBeGreaterThan(10);
});

test('the same seed makes the same traffic', () => {
  expect(at(0.6)).toEqual(at(0.6));
  expect(at(0.6, { seed: 2 })).not.toEqual(at(0.6));
});
