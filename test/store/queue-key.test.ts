import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cursorOf, queueKeyOf } from '../../src/store/queue-key.js';

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
