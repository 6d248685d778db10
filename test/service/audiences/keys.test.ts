import { expect, test } from 'vitest';
import {
  audienceKey,
  entryAt,
  listedAt,
  membersPrefix,
  placeOf,
  stagedPrefix,
} from '../../../src/service/audiences/keys.js';

test.each([
  'u1',
  'ann@example.com',
  'a/b %2F #',
  '#hash',
  'Größe 🚀',
  'two\nlines',
  'x'.repeat(300),
  'x'.repeat(301),
  'é'.repeat(200),
])('the user id %j and its value can be read back from their place and entry', (userId) => {
  const place = placeOf(userId);
  expect(place).toMatch(/^[!-~]{1,300}$/);
  expect(place).not.toContain('/');
  for (const json of ['true', '"two\\nlines"', undefined]) {
    expect(listedAt(place, entryAt(place, { userId, json }))).toEqual({ userId, json });
  }
});

test('the entry of a long id contains the id, and the entry of a short one does not', () => {
  const long = 'x'.repeat(1_000);
  expect(placeOf(long)).toMatch(/^#[0-9a-f]{64}$/);
  expect(entryAt(placeOf(long), { userId: long, json: '1' })).toBe(`1\n${long}`);
  expect(entryAt(placeOf('u1'), { userId: 'u1', json: '1' })).toBe('1\n');
});

test('two long ids with the same beginning have different places', () => {
  const [one, other] = ['a', 'b'].map((end) => placeOf('x'.repeat(400) + end));
  expect(one).not.toBe(other);
});

test('the keys of an audience do not begin with the prefix of another whose trait is a prefix of its own', () => {
  expect(membersPrefix('vip').startsWith(membersPrefix('vi'))).toBe(false);
  expect(stagedPrefix('vip', 's1').startsWith(stagedPrefix('vip', 's'))).toBe(false);
  expect(audienceKey('a/b')).toBe('audience/a%2Fb');
});
