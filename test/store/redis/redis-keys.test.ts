import { expect, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import type { Retrying } from '../../../src/delivery/state.js';
import { digestOf, RedisKeys } from '../../../src/store/redis/redis-keys.js';

const retrying: Retrying = { phase: 'retrying', due: 9, firstAttemptAt: 1, attempts: 1, history: [] };

test('all keys of a store lie on one machine of a cluster', () => {
  const keys = new RedisKeys('shop/orders');
  const all = [keys.events, keys.bodies, keys.urls, keys.dead, keys.counts, keys.webhooks, keys.jobs];
  for (const key of [...all, keys.waiting('a', 'first'), keys.claimed('a'), keys.sweep('a', 'turn')]) {
    expect(key).toMatch(/^\{shop\/orders\}:/);
  }
});

test('a URL of any length stands in keys with 22 characters, always the same', () => {
  const keys = new RedisKeys('s');
  const url = `https://example.com/${'x'.repeat(5_000)}`;
  expect(keys.digest(url)).toBe(digestOf(url));
  expect(keys.digest(url)).toMatch(/^[\w-]{22}$/);
  expect(keys.waiting(url, 'first')).not.toBe(keys.waiting(url, 'retry'));
  expect(keys.waiting(url, 'first')).not.toBe(keys.waiting('b', 'first'));
});

test('an event has a line where it waits at each URL, and among the dead letters when it is one', () => {
  const keys = new RedisKeys('s');
  const accepted = newEvent('m1', 'track', ['a', 'b'], 7);
  const event = { ...accepted, urls: { ...accepted.urls, b: retrying } };
  const lines = [
    { key: keys.waiting('a', 'first'), at: 7, url: 'a' },
    { key: keys.waiting('b', 'retry'), at: 9 },
  ];
  expect(keys.linesOf(event)).toEqual(lines);
  expect(keys.linesOf({ ...event, isDead: true })).toEqual([...lines, { key: keys.dead, at: 7 }]);
});

test('the way of events to the same URLs is the same, and its lines are in the order of the URLs', () => {
  const keys = new RedisKeys('s');
  const way = keys.wayTo(['a', 'b"']);
  expect(keys.wayTo(['a', 'b"'])).toBe(way);
  expect(keys.wayTo(['a'])).not.toBe(way);
  expect([way.text, keys.wayTo(['a']).text]).toEqual(['["","a","b\\""]', undefined]);
  expect(way.lines.map(({ url, index }) => [url, index])).toEqual([
    ['a', keys.waiting('a', 'first')],
    ['b"', keys.waiting('b"', 'first')],
  ]);
});
