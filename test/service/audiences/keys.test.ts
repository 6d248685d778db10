import { expect, test } from 'vitest';
import {
  audienceKey,
  memberKeyOf,
  membersPrefix,
  stagedPrefix,
  userIdOf,
} from '../../../src/service/audiences/keys.js';

test.each([
  'u1',
  'ann@example.com',
  'a/b %2F #',
  '#hash',
  'Größe 🚀',
  'x'.repeat(300),
  'x'.repeat(301),
  'é'.repeat(200),
])('the user id %j comes back from its key, which is short plain ASCII', (userId) => {
  const key = memberKeyOf(userId);
  expect(userIdOf(key)).toBe(userId);
  expect(key.place).toMatch(/^[!-~]{1,300}$/);
  expect(key.place).not.toContain('/');
});

test('a long id is kept beside its key, a short one is not', () => {
  expect(memberKeyOf('u1')).toEqual({ place: 'u1', rest: '' });
  const long = 'x'.repeat(1_000);
  expect(memberKeyOf(long)).toEqual({ place: expect.stringMatching(/^#[0-9a-f]{64}$/), rest: long });
});

test('two long ids with the same beginning have two keys', () => {
  const [one, other] = ['a', 'b'].map((end) => memberKeyOf('x'.repeat(400) + end).place);
  expect(one).not.toBe(other);
});

test('the lists of an audience lie apart from those of one whose trait it begins', () => {
  expect(membersPrefix('vip').startsWith(membersPrefix('vi'))).toBe(false);
  expect(stagedPrefix('vip', 's1').startsWith(stagedPrefix('vip', 's'))).toBe(false);
  expect(audienceKey('a/b')).toBe('audience/a%2Fb');
});
