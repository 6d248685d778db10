import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitsOf, type Service, useOf } from '../../../bench/capacity/first-to-break.js';
import { PLAN } from '../../../bench/capacity/plan.js';
import { ROOMY, ROUND } from './round-costs.js';

const LMDB: Service = { store: 'lmdb' };
const services: Service[] = [LMDB, ...[1, 3, 10].map((masters) => ({ store: 'redis', masters }) as const)];

test('a process on lmdb breaks first at its requests in flight where endpoints are slow, otherwise at its core', () => {
  const slow = limitsOf(ROUND, LMDB, 1, { ...PLAN, answerMs: 20 });
  expect(slow[0]?.resource).toBe('requests in flight');
  expect(slow[0]?.events).toBeCloseTo(3_200, 0);
  const fast = limitsOf(ROUND, LMDB, 1, { ...PLAN, answerMs: 1 });
  expect(fast[0]?.resource).toBe('core of the process');
  expect(fast[0]?.events).toBeCloseTo(5_000, 0);
});

test('one Redis breaks at its memory, and at its core where it has memory enough', () => {
  expect(limitsOf(ROUND, { store: 'redis', masters: 1 }, 10, PLAN)[0]?.resource).toContain('memory');
  const [first] = limitsOf(ROUND, { store: 'redis', masters: 1 }, 10, ROOMY);
  expect(first?.resource).toBe('core of Redis');
  // 220 µs an event, and a little for the processes.
  expect(first?.events).toBeGreaterThan(4_500);
  expect(first?.events).toBeLessThan(1e6 / 220);
});

test('each resource is used up at the rate that is told, and what breaks first is told first', () => {
  fc.assert(
    fc.property(fc.constantFrom(...services), fc.integer({ min: 1, max: 100 }), (service, destinations) => {
      const limits = limitsOf(ROUND, service, destinations, PLAN);
      expect(limits.map(({ events }) => events)).toEqual(limits.map(({ events }) => events).sort((a, b) => a - b));
      for (const { resource, events } of limits) {
        const use = (rate: number): number => useOf(ROUND, service, rate, destinations, PLAN)[resource] ?? 0;
        expect(use(events)).toBeLessThanOrEqual(1);
        expect(use(events * 1.01)).toBeGreaterThan(1);
      }
    }),
    { numRuns: 30 },
  );
});

test('more masters carry no fewer events before something breaks, as long as processes have room for them', () => {
  const first = (masters: number): number => limitsOf(ROUND, { store: 'redis', masters }, 10, PLAN)[0]?.events ?? 0;
  expect(first(3)).toBeGreaterThan(first(1));
  expect(first(10)).toBeGreaterThan(first(3));
});
