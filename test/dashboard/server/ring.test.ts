import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Feed } from '../../../src/dashboard/server/feed.js';
import { Ring } from '../../../src/dashboard/server/ring.js';

const entry = (seq: number, json = 'x') => ({ seq, json });

test('ring gives the entries behind a number, at most its capacity', () => {
  const numbers = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 60 });
  fc.assert(
    fc.property(numbers, fc.integer({ min: 1, max: 8 }), fc.nat(80), fc.nat(10), (steps, maxCount, after, limit) => {
      const ring = new Ring({ maxCount, maxCharacters: 1000 });
      let seq = 0;
      const all = steps.map((step) => {
        seq += step;
        ring.add(entry(seq));
        return seq;
      });
      const kept = all.slice(-maxCount);
      expect(ring.size).toBe(kept.length);
      expect(ring.droppedSeq).toBe(all.at(-maxCount - 1) ?? 0);
      expect(ring.after(after, limit).map((one) => one.seq)).toEqual(kept.filter((one) => one > after).slice(0, limit));
    }),
  );
});

test('ring keeps at most its characters, and always the newest entry', () => {
  const ring = new Ring({ maxCount: 10, maxCharacters: 10 });
  for (const seq of [1, 2, 3]) ring.add(entry(seq, 'xxxx'));
  expect(ring.after(0, 10).map(({ seq }) => seq)).toEqual([2, 3]);
  ring.add(entry(4, 'x'.repeat(50)));
  expect(ring.after(0, 10).map(({ seq }) => seq)).toEqual([4]);
});

test('feed tells of webhooks that changed, with their latest state', () => {
  const feed = new Feed();
  let told = 0;
  feed.subscribe(() => told++);
  const endpoint = { url: 'http://127.0.0.1/', state: 'closed', failing: false, inFlight: 0, waiting: 0 } as const;
  feed.showEndpoints([endpoint]);
  feed.showEndpoints([{ ...endpoint }]);
  feed.showEndpoints([{ ...endpoint, inFlight: 1, waiting: 1 }]);
  expect(told).toBe(2);
  expect(JSON.parse(feed.endpoints ?? '')).toEqual([{ ...endpoint, inFlight: 1, waiting: 1 }]);
});

test('feed numbers its entries and gives all kinds in order', () => {
  const feed = new Feed(2);
  const common = { receivedAt: '', source: 'dev' };
  feed.add({ ...common, kind: 'message', bytes: 1, message: { n: 1 } });
  feed.add({ ...common, kind: 'rejected', code: 'c', reason: 'r', raw: '', client: '' });
  feed.add({ ...common, kind: 'message', bytes: 1, message: { n: 3 } });
  expect(feed.after(0, 10).map(({ json }) => JSON.parse(json).kind)).toEqual(['message', 'rejected', 'message']);
  expect(feed.after(1, 1).map(({ seq }) => seq)).toEqual([2]);
  expect(feed.hasGapAfter(0)).toBe(false);
  feed.add({ ...common, kind: 'message', bytes: 1, message: { n: 4 } });
  expect(feed.after(0, 10).map(({ seq }) => seq)).toEqual([2, 3, 4]);
  expect([feed.hasGapAfter(0), feed.hasGapAfter(1)]).toEqual([true, false]);
});
