import { expect, test } from 'vitest';
import { encode } from '../../src/client/calls/enqueuer.js';
import type { Message } from '../../src/protocol/message.js';
import { mayLack } from '../../src/protocol/plain.js';
import { VanishedOnce } from '../../src/protocol/vanished.js';

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
  encode(message);
  return new VanishedOnce().tell(message, message.type)?.text;
};

test.each<[Record<string, unknown>, string, string, string?]>([
  [{ total: Number.NaN }, 'track.properties.total', 'NaN', 'null'],
  [{ list: [1, { total: Number.POSITIVE_INFINITY }] }, 'track.properties.list[1].total', 'Infinity', 'null'],
  [{ at: new Date('never') }, 'track.properties.at', 'an invalid Date', 'null'],
  [{ seen: new Set(['a']) }, 'track.properties.seen', 'a Set'],
  [{ deep: [{ by: new Map([['a', 1]]) }] }, 'track.properties.deep[0].by', 'a Map'],
  [{ by: new WeakMap() }, 'track.properties.by', 'a WeakMap'],
  [{ soon: Promise.resolve(1) }, 'track.properties.soon', 'a Promise'],
])(
  'a value whose contents JSON does not write is reported with its path: %#',
  (properties, path, what, written = '{}') => {
    expect(vanished(properties)).toBe(
      `${path} is ${what}, which JSON writes as ${written}, so that nothing of it arrives`,
    );
  },
);

class Money {
  amount = 5;
}

test.each<[string, Record<string, unknown>]>([
  ['nothing that is empty', { total: 1, none: null, text: 'null' }],
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

test('a value that cannot be read a second time causes no error', () => {
  let reads = 0;
  const once = {
    empty: {},
    get moody() {
      if (++reads > 2) throw new Error('no more');
      return 1;
    },
  };
  expect(new VanishedOnce().tell(track(once), 'track')).toBeUndefined();
  reads = 2;
  expect(new VanishedOnce().tell(track(once), 'track')).toBeUndefined();
});

test('a vanished value is reported once for each text that JSON writes in its place', () => {
  const once = new VanishedOnce();
  const tell = (properties: Record<string, unknown>) => {
    const message = track(properties);
    return mayLack(encode(message), 0) ? once.tell(message, 'track')?.text : undefined;
  };
  expect(tell({ coupon: null, empty: {} })).toBeUndefined();
  expect(tell({ seen: new Set() })).toBe(
    'track.properties.seen is a Set, which JSON writes as {}, so that nothing of it arrives',
  );
  expect(tell({ seen: new Set() })).toBeUndefined();
  expect(tell({ seen: new Set(), total: Number.POSITIVE_INFINITY })).toMatch(
    /^track\.properties\.total is Infinity, .* as null/,
  );
  expect(tell({ seen: new Set(), total: Number.NaN })).toBeUndefined();
});

test('each of the first thousand messages is examined, and one in a hundred of the rest', () => {
  const looks = Array.from({ length: 2000 }, (_, messages) => mayLack('{"coupon":null}', messages));
  expect(looks.filter((isLook) => isLook)).toHaveLength(1010);
  expect(looks.slice(0, 1000)).not.toContain(false);
});

test('a message whose JSON contains neither an empty object nor a null is not examined', () => {
  expect(mayLack('{"coupon":"FALL"}', 0)).toBe(false);
});
