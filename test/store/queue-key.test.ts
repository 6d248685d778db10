import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { QueueKey } from '../../src/store/event-store.js';
import {
  cursorOf,
  decodeQueueKey,
  encodeId,
  encodeQueueKey,
  endOf,
  queueKeyOf,
  startOf,
} from '../../src/store/queue-key.js';

const key = fc.record({
  at: fc.nat(2 ** 41),
  id: fc.string({ minLength: 1, unit: 'grapheme' }),
});

test('a cursor is decoded to its queue key', () => {
  fc.assert(
    fc.property(key, (each) => {
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

const UUID = '0198f9a0-3c1e-7abc-8def-0123456789ab';

/** Ids of every form, many of them almost a UUID in lower case. */
const id = fc.oneof(
  fc.uuid(),
  fc.uuid().map((uuid) => uuid.toUpperCase()),
  fc.string({ minLength: 1, unit: 'grapheme' }),
  fc.string({ minLength: 36, maxLength: 36, unit: fc.constantFrom(...'0123456789abcdef-') }),
  fc.constantFrom(
    ...[UUID.replace('a', 'g'), UUID.replaceAll('-', ''), `${UUID}\n`, ` ${UUID}`, UUID.slice(1), `//web/${UUID}`],
    ...[
      '00000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
      '\u00ff',
      '\ufffd',
      '\0',
      '\u{10ffff}',
    ],
  ),
);

const prefix = Buffer.from([7, 1]);
const encodable = fc.record({
  at: fc.tuple(fc.nat(2 ** 41), fc.nat(1_023)).map(([ms, fraction]) => ms + fraction / 1_024),
  id,
}) satisfies fc.Arbitrary<QueueKey>;

test('an encoded queue key can be decoded, whatever the form of its id', () => {
  fc.assert(
    fc.property(encodable, (each) => {
      expect(decodeQueueKey(prefix.length, encodeQueueKey(prefix, each))).toEqual(each);
    }),
  );
});

test('encoded queue keys sort by time, after the start of their time, and stay within their prefix', () => {
  fc.assert(
    fc.property(encodable, encodable, (a, b) => {
      const [first, second] = [encodeQueueKey(prefix, a), encodeQueueKey(prefix, b)];
      if (a.at !== b.at) expect(Math.sign(Buffer.compare(first, second))).toBe(Math.sign(a.at - b.at));
      expect(Buffer.compare(first, startOf(prefix, a.at))).toBe(1);
      expect(Buffer.compare(first, startOf(prefix, b.at))).toBe(a.at < b.at ? -1 : 1);
      expect(Buffer.compare(prefix, first)).toBe(-1);
      expect(Buffer.compare(first, endOf(prefix))).toBe(-1);
    }),
    {
      examples: [
        [
          { at: 2 ** 41 + 1_023 / 1_024, id: '\u{10ffff}' },
          { at: 0, id: ' ' },
        ],
        [
          { at: 5 + 1 / 1_024, id: 'a' },
          { at: 5, id: UUID },
        ],
      ],
    },
  );
});

test('two ids never have the same bytes, even with a number after them', () => {
  const withNumber = (each: string): Buffer => Buffer.concat([encodeId(each), Buffer.of(0, 0, 0, 1)]);
  fc.assert(
    fc.property(id, id, (a, b) => {
      expect(withNumber(a).equals(withNumber(b))).toBe(a === b);
    }),
  );
});

test.each([
  ['a UUID in lower case', UUID, 17],
  ['a UUID of another version', '3f2504e0-4f89-11d3-9a0c-0305e82c3301', 17],
  ['a UUID in upper case', UUID.toUpperCase(), 36],
  ['any other id', 'order-1', 7],
])('%s takes few bytes', (_, each, bytes) => {
  expect(encodeId(each)).toHaveLength(bytes);
});
