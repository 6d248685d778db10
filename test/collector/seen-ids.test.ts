import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SeenIds } from '../../src/collector/deduplicator.js';
import { fingerprintsOf } from '../../src/collector/fingerprint-set.js';

const WINDOW_MS = 1_000;

const print = (source: string, messageId: string) => fingerprintsOf(source, [{ messageId }]);

test('an id is known in its source and unknown in another', () => {
  const seen = new SeenIds({ windowMs: WINDOW_MS, maxIds: 10, nowMs: 0 });
  seen.add(print('website', 'a'), 0, 0);
  expect([seen.has(print('website', 'a'), 0, 0), seen.has(print('app', 'a'), 0, 0)]).toEqual([true, false]);
});

test('an id is known until the window has passed, and forgotten after twice the window', () => {
  const seen = new SeenIds({ windowMs: WINDOW_MS, maxIds: 10, nowMs: 0 });
  seen.add(print('s', 'a'), 0, 999);
  expect([seen.has(print('s', 'a'), 0, 1_999), seen.has(print('s', 'a'), 0, 3_000)]).toEqual([true, false]);
});

test('a clock that goes back does not make ids forgotten', () => {
  const seen = new SeenIds({ windowMs: WINDOW_MS, maxIds: 10, nowMs: 5_000 });
  seen.add(print('s', 'a'), 0, 5_000);
  expect(seen.has(print('s', 'a'), 0, 0)).toBe(true);
});

const step = fc.record({
  source: fc.constantFrom('website', 'app'),
  id: fc.integer({ min: 0, max: 30 }).map(String),
  waitMs: fc.constantFrom(0, 0, 0, 1, 400, 999, 1_000, 2_500),
});

test('whatever is added, the newest half within the window is known, old ids are forgotten, and the limit holds', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 2, max: 12 }), (steps, maxIds) => {
      const seen = new SeenIds({ windowMs: WINDOW_MS, maxIds, nowMs: 0 });
      const added: { key: string; atMs: number }[] = [];
      let nowMs = 0;
      for (const { source, id, waitMs } of steps) {
        nowMs += waitMs;
        const key = `${source} ${id}`;
        const known = seen.has(print(source, id), 0, nowMs);
        const newest = added.slice(-Math.floor(maxIds / 2));
        if (newest.some((entry) => entry.key === key && nowMs - entry.atMs < WINDOW_MS)) expect(known).toBe(true);
        if (!added.some((entry) => entry.key === key && nowMs - entry.atMs < 2 * WINDOW_MS)) expect(known).toBe(false);
        if (!known) {
          seen.add(print(source, id), 0, nowMs);
          added.push({ key, atMs: nowMs });
        }
        expect(seen.size).toBeLessThanOrEqual(maxIds);
      }
    }),
    { numRuns: 500 },
  );
});
