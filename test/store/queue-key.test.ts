import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { QueueKey } from '../../src/store/event-store.js';
import {
  compareQueueKeys,
  cursorOf,
  decodeQueueKey,
  encodeQueueKey,
  endOf,
  queueKeyOf,
  successor,
} from '../../src/store/queue-key.js';

const prefix = Buffer.from([7, 1]);
const key = fc.record({
  at: fc.tuple(fc.nat(2 ** 41), fc.nat(1_023)).map(([ms, fraction]) => ms + fraction / 1_024),
  id: fc.string({ minLength: 1, unit: 'grapheme' }),
}) satisfies fc.Arbitrary<QueueKey>;

test('encoded queue keys sort like the keys themselves, stay within their prefix, and can be decoded', () => {
  fc.assert(
    fc.property(key, key, (a, b) => {
      const [first, second] = [encodeQueueKey(prefix, a), encodeQueueKey(prefix, b)];
      expect(Math.sign(Buffer.compare(first, second))).toBe(Math.sign(compareQueueKeys(a, b)));
      expect(Buffer.compare(first, successor(first))).toBe(-1);
      expect(Buffer.compare(prefix, first)).toBe(-1);
      expect(Buffer.compare(first, endOf(prefix))).toBe(-1);
      expect(decodeQueueKey(prefix.length, first)).toEqual(a);
    }),
    {
      examples: [
        [
          { at: 2 ** 41 + 1_023 / 1_024, id: '\u{10ffff}' },
          { at: 0, id: ' ' },
        ],
        [
          { at: 5 + 1 / 1_024, id: 'a' },
          { at: 5, id: 'b' },
        ],
      ],
    },
  );
});

test('a cursor is decoded to its queue key', () => {
  const letter = key.map(({ at, id }) => ({ at: Math.floor(at), id }));
  fc.assert(
    fc.property(letter, (each) => {
      expect(queueKeyOf(cursorOf(each))).toEqual(each);
    }),
  );
});

const cursor = (text: string): string => Buffer.from(text).toString('base64url');

test.each([
  ['nothing', ''],
  ['no time', cursor('a b')],
  ['no id', cursor('7 ')],
  ['a time before all', cursor('-1 a')],
  ['a time that no key can hold', cursor(`${2 ** 48} a`)],
  ['no base64', '!'],
])('a cursor with %s is refused', (_, text) => {
  expect(queueKeyOf(text)).toBeUndefined();
});
