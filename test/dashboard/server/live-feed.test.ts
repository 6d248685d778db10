import { expect, test } from 'vitest';
import { Feed } from '../../../src/dashboard/server/live-feed.js';

test('the feed reports changed webhooks with their latest state', () => {
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

test('the feed numbers its entries and returns all kinds in order', () => {
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

const rejected = { kind: 'rejected', receivedAt: '', source: '', code: '', reason: '', raw: '', client: '' } as const;

test('the feed continues its numbers after it was cleared, and no longer calls a listener that has unsubscribed', () => {
  const feed = new Feed();
  let told = 0;
  const leave = feed.subscribe(() => told++);
  feed.add(rejected);
  feed.clear();
  expect(feed.after(0, 10)).toEqual([]);
  leave();
  feed.add(rejected);
  expect(feed.after(0, 10).map(({ seq }) => seq)).toEqual([2]);
  expect(told).toBe(1);
});
