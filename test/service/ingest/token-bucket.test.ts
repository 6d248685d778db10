import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Bucket, fullBucket, refill, take, waitMs } from '../../../src/service/ingest/token-bucket.js';

const limit = { messagesPerSecond: 10, burst: 20 };

test.each<[string, Bucket, number, number]>([
  ['a full bucket gives all that it holds', { tokens: 20, at: 0 }, 20, 0],
  ['missing tokens take time', { tokens: 5, at: 0 }, 8, 300],
  ['a batch larger than the bucket waits until the bucket is full', { tokens: 15, at: 0 }, 1_000, 500],
  ['a debt is paid back first', { tokens: -30, at: 0 }, 1, 3_100],
])('the wait at a token bucket: %s', (_, bucket, count, ms) => expect(waitMs(bucket, limit, count)).toBeCloseTo(ms));

test('a clock that was set back adds no tokens', () => {
  expect(refill({ tokens: 5, at: 10_000 }, limit, 0)).toEqual({ tokens: 5, at: 0 });
});

const requests = fc.array(
  fc.record({ afterMs: fc.integer({ min: 0, max: 3_000 }), count: fc.integer({ min: 1, max: 60 }) }),
  {
    maxLength: 60,
  },
);
const limits = fc.record({
  messagesPerSecond: fc.integer({ min: 1, max: 50 }),
  burst: fc.integer({ min: 1, max: 50 }),
});

/** Returns which requests are let through, and when. */
function letThrough(given: readonly { afterMs: number; count: number }[], rate: typeof limit) {
  const sent: { at: number; count: number }[] = [];
  let [bucket, at] = [fullBucket(rate, 0), 0];
  for (const { afterMs, count } of given) {
    at += afterMs;
    bucket = refill(bucket, rate, at);
    if (waitMs(bucket, rate, count) > 0) continue;
    bucket = take(bucket, count);
    sent.push({ at, count });
  }
  return sent;
}

test('a token bucket never lets through more than the burst, the rate and the excess of one batch', () => {
  fc.assert(
    fc.property(requests, limits, (given, rate) => {
      const sent = letThrough(given, rate);
      for (const [from, { at: start }] of sent.entries()) {
        let sum = 0;
        for (const { at, count } of sent.slice(from)) {
          sum += count;
          const excess = Math.max(0, count - rate.burst);
          const most = rate.burst + ((at - start) / 1_000) * rate.messagesPerSecond + excess;
          expect(sum).toBeLessThanOrEqual(most + 1e-6);
        }
      }
    }),
  );
});

test('a token bucket lets a batch through after the wait that it announced', () => {
  fc.assert(
    fc.property(requests, limits, fc.integer({ min: 1, max: 100 }), (given, rate, count) => {
      let bucket = fullBucket(rate, 0);
      for (const sent of given) bucket = take(refill(bucket, rate, bucket.at + sent.afterMs), sent.count);
      const ms = waitMs(bucket, rate, count);
      expect(waitMs(refill(bucket, rate, bucket.at + Math.ceil(ms) + 1), rate, count)).toBe(0);
    }),
  );
});
