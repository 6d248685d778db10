import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWellFormed } from '../../src/base/platform/node.js';
import { eventId, messageIn, sourcedId, userKey } from '../../src/delivery/event-names.js';
import { anyText } from '../support/any-text.js';

/** Text from pieces that could be confused with each other, including lone surrogates. */
const text = fc.oneof(
  anyText(),
  fc
    .array(fc.constantFrom('/', '//', '%', '%25', '%2F', '%ud800', '\ud800', '\udc00', '\u0000', ':', '"', 'a', 'ü'))
    .map((pieces) => pieces.join('')),
  fc.string({ minLength: 100, maxLength: 400 }),
);
const pairs = fc.array(fc.tuple(text, text), { minLength: 2, maxLength: 40 });

const unique = (texts: Iterable<unknown>): number => new Set(texts).size;

test('different pairs of a source and an id never give the same sourcedId', () => {
  fc.assert(
    fc.property(pairs, (all) => {
      expect(unique(all.map(([source, id]) => sourcedId(id, source)))).toBe(
        unique(all.map((pair) => JSON.stringify(pair))),
      );
    }),
  );
});

test('different ids of one source never give the same eventId', () => {
  fc.assert(
    fc.property(text, fc.array(text, { minLength: 2, maxLength: 40 }), (source, ids) => {
      expect(unique(ids.map((id) => eventId(id, source)))).toBe(unique(ids));
    }),
  );
});

test('an eventId without a source never equals one with a source', () => {
  fc.assert(
    fc.property(text, text, text, (plain, source, id) => {
      fc.pre(eventId(plain, 'any') === plain);
      expect(sourcedId(id, source)).not.toBe(plain);
    }),
  );
});

test('the id under which a message is stored is well-formed, even if its own is not', () => {
  fc.assert(
    fc.property(text, text, (source, id) => {
      expect(isWellFormed(eventId(id, source)) && isWellFormed(sourcedId(id, source))).toBe(true);
    }),
  );
});

test('an ordinary id is stored unchanged', () => {
  for (const id of ['order-1', 'server/order-1', '5c1f3a52-6b9d-4c8e-9d53-0f5a3b8a1c11', '%2F', '', 'ü'])
    expect(eventId(id, 'server')).toBe(id);
});

test('the messages of one user have one key, whatever their anonymous id', () => {
  const key = userKey({ userId: 'u1', anonymousId: 'a1' });
  expect(userKey({ userId: 'u1', anonymousId: 'a2' })).toBe(key);
  expect(userKey({ userId: 'u2', anonymousId: 'a1' })).not.toBe(key);
});

test('a message without a user has the key of its anonymous id', () => {
  const key = userKey({ anonymousId: 'a1' });
  expect(key).toBeDefined();
  for (const userId of [undefined, null, '']) expect(userKey({ userId, anonymousId: 'a1' })).toBe(key);
  expect(userKey({ anonymousId: 'a2' })).not.toBe(key);
});

test("a user whose id equals another user's anonymous id has a different key", () => {
  expect(userKey({ userId: 'x' })).not.toBe(userKey({ anonymousId: 'x' }));
});

test('the key of a user stays the same in every process and version', () => {
  expect(userKey({ userId: 'u1' })).toBe('xOj_irwL7ta1UFFk');
  expect(userKey({ userId: 'x'.repeat(32_768) })).toHaveLength(16);
});

test('a message without a user has no key', () => {
  expect(userKey({})).toBeUndefined();
  expect(userKey({ userId: null, anonymousId: '' })).toBeUndefined();
});

test('messageIn returns the same for a message from any source, and without one', () => {
  fc.assert(
    fc.property(text, text, (source, id) => {
      const names = [messageIn(sourcedId(id, source)), messageIn(sourcedId(id)), messageIn(eventId(id, source))];
      expect(unique(names)).toBe(1);
    }),
  );
});
