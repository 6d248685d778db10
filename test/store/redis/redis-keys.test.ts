import { expect, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import type { Retrying } from '../../../src/delivery/state.js';
import { digestOf, RedisKeys } from '../../../src/store/redis/redis-keys.js';

const retrying: Retrying = { phase: 'retrying', due: 9, firstAttemptAt: 1, attempts: 1, history: [] };

test('all keys of a store are on one node of a cluster', () => {
  const keys = new RedisKeys('orders', 'shop');
  const all = [keys.events, keys.urls, keys.dead, keys.counts];
  for (const key of [...all, keys.line('a').first, keys.line('a').timed, keys.line('a').turn]) {
    expect(key).toMatch(/^\{shop\}:orders:/);
  }
});

test('a URL of any length appears in keys as the same 22 characters', () => {
  const keys = new RedisKeys('s', 'shop');
  const url = `https://example.com/${'x'.repeat(5_000)}`;
  expect(keys.line(url).digest).toBe(digestOf(url));
  expect(keys.line(url).digest).toMatch(/^[\w-]{22}$/);
  const { first, timed } = keys.line(url);
  expect(first).not.toBe(timed);
  expect(first).not.toBe(keys.line('b').first);
});

test('an event has an entry for each URL where it waits, and one among the dead letters if it is one', () => {
  const keys = new RedisKeys('s', 'shop');
  const accepted = newEvent('m1', 'track', ['a', 'b'], 7);
  const event = { ...accepted, urls: { ...accepted.urls, b: retrying } };
  const entries = [
    { key: keys.line('a').first, at: 7, waits: { url: 'a', stage: 'first' } },
    { key: keys.line('b').timed, at: 9, waits: { url: 'b', stage: 'retry' } },
  ];
  expect(keys.entriesOf(event)).toEqual(entries);
  expect(keys.entriesOf({ ...event, isDead: true })).toEqual([...entries, { key: keys.dead, at: 7 }]);
});

test('the keys of deliveries to the same URLs are the same object, with lines in the order of the URLs', () => {
  const keys = new RedisKeys('s', 'shop');
  const delivery = keys.deliveryTo(['a', 'b"']);
  expect(keys.deliveryTo(['a', 'b"'])).toBe(delivery);
  expect(keys.deliveryTo(['a'])).not.toBe(delivery);
  expect([delivery.text, keys.deliveryTo(['a']).text]).toEqual(['["","a","b\\""]', undefined]);
  expect(delivery.lines.map(({ url, first }) => [url, first])).toEqual([
    ['a', keys.line('a').first],
    ['b"', keys.line('b"').first],
  ]);
});
