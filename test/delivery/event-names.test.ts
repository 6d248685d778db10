import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWellFormed } from '../../src/base/platform/node.js';
import { eventId, messageIn, sourcedId, userKey } from '../../src/delivery/event-names.js';
import { anyText } from '../support/any-text.js';

/** Text of the pieces that could be mistaken for each other, halves of surrogate pairs among them. */
const text = fc.oneof(
  anyText(),
  fc
    .array(fc.constantFrom('/', '//', '%', '%25', '%2F', '%ud800', '\ud800', '\udc00', '\u0000', ':', '"', 'a', 'ü'))
    .map((pieces) => pieces.join('')),
  fc.string({ minLength: 100, maxLength: 400 }),
);
const pairs = fc.array(fc.tuple(text, text), { minLength: 2, maxLength: 40 });

const unique = (texts: Iterable<unknown>): number => new Set(texts).size;

test('no two pairs of a source and an id share an id with a source', () => {
  fc.assert(
    fc.property(pairs, (all) => {
      expect(unique(all.map(([source, id]) => sourcedId(id, source)))).toBe(
        unique(all.map((pair) => JSON.stringify(pair))),
      );
    }),
  );
});

test('no two ids of one source share the id they are kept by', () => {
  fc.assert(
    fc.property(text, fc.array(text, { minLength: 2, maxLength: 40 }), (source, ids) => {
      expect(unique(ids.map((id) => eventId(id, source)))).toBe(unique(ids));
    }),
  );
});

test('an id that is kept as it is never equals one that is kept with a source', () => {
  fc.assert(
    fc.property(text, text, text, (plain, source, id) => {
      fc.pre(eventId(plain, 'any') === plain);
      expect(sourcedId(id, source)).not.toBe(plain);
    }),
  );
});

test('the id that a message is kept by is well-formed, whatever its own is', () => {
  fc.assert(
    fc.property(text, text, (source, id) => {
      expect(isWellFormed(eventId(id, source)) && isWellFormed(sourcedId(id, source))).toBe(true);
    }),
  );
});

test('an ordinary id is kept as it is', () => {
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

test('a user whose id is another one’s anonymous id has a key of their own', () => {
  expect(userKey({ userId: 'x' })).not.toBe(userKey({ anonymousId: 'x' }));
});

test('the key of a user is the same in every process and version', () => {
  expect(userKey({ userId: 'u1' })).toBe('xOj_irwL7ta1UFFk');
  expect(userKey({ userId: 'x'.repeat(32_768) })).toHaveLength(16);
});

test('a message without a user has no key', () => {
  expect(userKey({})).toBeUndefined();
  expect(userKey({ userId: null, anonymousId: '' })).toBeUndefined();
});

test('a message has the same name whatever source has sent it, and with none', () => {
  fc.assert(
    fc.property(text, text, (source, id) => {
      const names = [messageIn(sourcedId(id, source)), messageIn(sourcedId(id)), messageIn(eventId(id, source))];
      expect(unique(names)).toBe(1);
    }),
  );
});
