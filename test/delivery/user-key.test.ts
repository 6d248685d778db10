import { expect, test } from 'vitest';
import { userKey } from '../../src/delivery/user-key.js';

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

test('a message of nobody has no key', () => {
  expect(userKey({})).toBeUndefined();
  expect(userKey({ userId: null, anonymousId: '' })).toBeUndefined();
});
