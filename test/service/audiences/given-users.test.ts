import { expect, test } from 'vitest';
import { memberIn, userWith, valueIn } from '../../../src/service/audiences/given-users.js';

test('a member is given as an id or as an object with an id', () => {
  const ann = { userId: 'ann', json: 'true' };
  expect([memberIn('ann'), memberIn({ userId: 'ann', plan: 'pro' })]).toEqual([ann, ann]);
});

test('a value is given with its user, and null means that the user has no value', () => {
  expect(valueIn({ userId: 'ann', value: { b: 1, a: 2 } })).toEqual({ userId: 'ann', json: '{"a":2,"b":1}' });
  expect(valueIn({ userId: 'ann', value: 0 })).toEqual({ userId: 'ann', json: '0' });
  expect(valueIn({ userId: 'ann', value: null })).toEqual({ userId: 'ann', json: undefined });
});

test('an id is read with the value that its user gets', () => {
  expect(userWith('7')('ann')).toEqual({ userId: 'ann', json: '7' });
  expect(userWith(undefined)('ann')).toEqual({ userId: 'ann', json: undefined });
});

test.each<[unknown, unknown, string]>([
  ['memberIn', memberIn(['ann']), 'expected a JSON string, or an object with a userId, got an array'],
  ['memberIn', memberIn({ id: 'ann' }), 'expected a non-empty string, got undefined'],
  ['userWith', userWith('1')('é'.repeat(501)), 'expected an id of at most 1000 bytes, got one of 1002'],
  ['userWith', userWith('1')('\ud800'), 'expected well-formed text, got half of a surrogate pair'],
  ['valueIn', valueIn('ann'), 'expected an object with a userId and a value, got string "ann"'],
  ['valueIn', valueIn({ value: 1 }), 'userId: expected a non-empty string, got undefined'],
  ['valueIn', valueIn({ userId: 'ann' }), 'value: expected a JSON value, got none'],
])('%s returns the reason why what is given is wrong (%#)', (_, problem, expected) => {
  expect(problem).toBe(expected);
});
