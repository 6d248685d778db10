import { expect, test } from 'vitest';
import { encode } from '../../../src/client/calls/enqueuer.js';
import { vanishedIn } from '../../../src/client/calls/vanished.js';
import type { Message } from '../../../src/protocol/message.js';

const track = (properties: Record<string, unknown>): Message => ({
  type: 'track',
  messageId: 'm',
  timestamp: '2026-11-20T12:00:00.000Z',
  userId: 'u',
  event: 'e',
  properties,
});

const vanished = (properties: Record<string, unknown>) => {
  const message = track(properties);
  return vanishedIn(message, encode(message));
};

test.each<[Record<string, unknown>, string, string]>([
  [{ seen: new Set(['a']) }, 'track.properties.seen', 'a Set'],
  [{ deep: [{ by: new Map([['a', 1]]) }] }, 'track.properties.deep[0].by', 'a Map'],
  [{ by: new WeakMap() }, 'track.properties.by', 'a WeakMap'],
  [{ soon: Promise.resolve(1) }, 'track.properties.soon', 'a Promise'],
])('a value of which JSON writes nothing is named by its path: %#', (properties, path, what) => {
  expect(vanished(properties)).toEqual({ path, what });
});

class Money {
  amount = 5;
}

test.each<[string, Record<string, unknown>]>([
  ['nothing that is empty', { total: 1 }],
  ['an empty object', { empty: {} }],
  ['an object without a prototype', { empty: Object.create(null) }],
  ['an empty array', { list: [], empty: {} }],
  ['an instance with fields', { price: new Money(), empty: {} }],
  ['a date', { at: new Date(0), empty: {} }],
  ['an error, which says what it is', { failure: new Error('no'), empty: {} }],
  ['a Map with a toJSON', { by: Object.assign(new Map(), { toJSON: () => ({}) }) }],
  ['text that reads like an empty object', { text: '{}' }],
])('a message with %s has lost nothing', (_, properties) => {
  expect(vanished(properties)).toBeUndefined();
});

test('a value that can be read no second time is no reason to fail', () => {
  let reads = 0;
  const once = {
    empty: {},
    get moody() {
      if (++reads > 2) throw new Error('no more');
      return 1;
    },
  };
  expect(vanishedIn(track(once), '{"empty":{}}')).toBeUndefined();
  reads = 2;
  expect(vanishedIn(track(once), '{"empty":{}}')).toBeUndefined();
});
