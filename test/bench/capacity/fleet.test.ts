import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  fleetsFor,
  idBytes,
  mastersToHold,
  masterUse,
  outageBytes,
  processesFor,
  retriedBytes,
} from '../../../bench/capacity/fleet.js';
import { PLAN } from '../../../bench/capacity/plan.js';
import { ROOMY, ROUND } from './round-costs.js';

const load = { events: 10_000, destinations: 10 };
const events = fc.integer({ min: 1, max: 2_000_000 });

test('a fleet has processes for its work, and for what they do when there is none', () => {
  // 11 seconds of work a second; of the 600,000 µs of each process, 11,000 go for being there.
  expect(processesFor(ROUND, load, 1, PLAN)).toBe(Math.ceil(11e6 / 589_000));
  // In each further partition it looks at ten endpoints, and there are 16 at least.
  expect(processesFor(ROUND, load, 2, PLAN)).toBe(Math.ceil(11e6 / 574_000));
  expect(processesFor(ROUND, load, 101, PLAN)).toBe(Math.ceil(11e6 / 489_000));
});

test('a fleet has processes for its requests in flight', () => {
  expect(processesFor(ROUND, load, 1, { ...PLAN, answerMs: 1_000 })).toBe(Math.ceil(10_000 / 64));
});

test('a master is used for its part of the events, and for each process that is there', () => {
  const use = masterUse(ROUND, load, { masters: 4, processes: 20 }, { ...PLAN, maxMemoryBytes: 64e9 });
  expect(use.idle).toBeCloseTo(20 * 200e-6 * 4);
  expect(use.core).toBeCloseTo(0.55 + 0.016);
  // Three, and two for each endpoint on one master or another.
  expect(use.connections).toBeCloseTo((20 * 8) / 10_000);
  expect(use.disk).toBeCloseTo((2_500 * 5_000) / 250e6);
  // What it sends to processes, and to a replica.
  expect(use.network).toBeCloseTo((2_500 * 10_000 * 8) / 10e9);
  expect(use.ids).toBeCloseTo((2_500 * 86_400 * 100) / 57.6e9);
});

test('an outage of four hours leaves four hours of events, of which each has one body', () => {
  expect(outageBytes(ROUND, 'redis', 10, 1, PLAN)).toBe(144_000 * 1_000);
  expect(outageBytes(ROUND, 'redis', 10, 10, PLAN)).toBe(144_000 * 2_800);
  expect(retriedBytes(ROUND, 'lmdb', 10, 10, PLAN)).toBe(144_000 * 11_000);
});

test('masters hold the ids of a day and what waits in nine tenths of their memory', () => {
  expect(idBytes(ROUND, 1, PLAN)).toBe(8_640_000);
  expect(mastersToHold(ROUND, 1, 0, { ...PLAN, maxMemoryBytes: 8_640_000 })).toBe(2);
  expect(mastersToHold(ROUND, 1, 8_640_000, { ...PLAN, maxMemoryBytes: 20e6 })).toBe(1);
});

test('a fleet has masters enough for their cores, and one that memory asks for', () => {
  // 2.2 seconds of Redis a second, beside what the processes take.
  expect(fleetsFor(ROUND, load, ROOMY)).toEqual({ fleets: 1, masters: 4, processes: 20 });
  const memory = idBytes(ROUND, 10_000, PLAN) + outageBytes(ROUND, 'redis', 10_000, 1, PLAN);
  expect(fleetsFor(ROUND, load, { ...ROOMY, maxMemoryBytes: memory / 9 }).masters).toBe(10);
});

test('a load is divided where its processes would take too much of every master by being there', () => {
  const { fleets, processes, masters } = fleetsFor(ROUND, { ...load, events: 1_000_000 }, ROOMY);
  expect(fleets).toBeGreaterThan(1);
  expect(masters).toBeGreaterThan(16);
  expect(processes * 200).toBeLessThanOrEqual(0.1 * 1e6);
});

test('a load is divided where it would need more masters than there can be partitions', () => {
  const small = { ...PLAN, maxMemoryBytes: 5e8, maxClients: 1e9, idleShare: 1 };
  const { fleets, masters } = fleetsFor(ROUND, load, small);
  expect(fleets).toBeGreaterThan(1);
  expect(masters).toBeLessThanOrEqual(256);
});

test('a load is divided where its processes would have too many connections to a master', () => {
  expect(fleetsFor(ROUND, load, { ...ROOMY, maxClients: 30 })).toMatchObject({ fleets: 3, processes: 7 });
});

test('every fleet keeps to the plan', () => {
  fc.assert(
    fc.property(events, fc.integer({ min: 1, max: 100 }), (rate, destinations) => {
      const { fleets, ...fleet } = fleetsFor(ROUND, { events: rate, destinations }, PLAN);
      const part = { events: rate / fleets, destinations };
      const use = masterUse(ROUND, part, fleet, PLAN);
      expect(fleet.processes).toBeGreaterThanOrEqual(processesFor(ROUND, part, fleet.masters, PLAN));
      expect(Math.max(use.core, use.disk, use.network)).toBeLessThanOrEqual(PLAN.utilisation);
      expect(Math.max(use.connections, use.ids)).toBeLessThanOrEqual(1);
      expect(use.idle).toBeLessThanOrEqual(PLAN.idleShare);
    }),
    { numRuns: 50 },
  );
});

test('more events need no fewer processes and no fewer masters', () => {
  const total = (rate: number) => {
    const { fleets, processes, masters } = fleetsFor(ROUND, { events: rate, destinations: 10 }, PLAN);
    return { processes: fleets * processes, masters: fleets * masters, fleets };
  };
  fc.assert(
    fc.property(events, fc.integer({ min: 1, max: 10 }), (rate, times) => {
      const [less, more] = [total(rate), total(rate * times)];
      expect(more.fleets).toBeGreaterThanOrEqual(less.fleets);
      // Each fleet rounds up.
      expect(more.processes).toBeGreaterThanOrEqual(less.processes - less.fleets);
      expect(more.masters).toBeGreaterThanOrEqual(less.masters - less.fleets);
    }),
    { numRuns: 50 },
  );
});
