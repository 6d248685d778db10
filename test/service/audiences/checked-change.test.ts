import { expect, test } from 'vitest';
import { checkedChange, MAX_CHANGED } from '../../../src/service/audiences/checked-change.js';
import { numbered } from './numbered.js';

test('a change of an audience consists of the users who join and the users who leave', () => {
  expect(checkedChange('audience', { join: ['ann', 'ann'], leave: ['bob'] })).toEqual([
    { userId: 'ann', json: 'true' },
    { userId: 'bob', json: undefined },
  ]);
  expect(checkedChange('audience', {})).toEqual([]);
});

test('a change of a trait consists of the users who get a value and the users who lose theirs', () => {
  const set = [
    { userId: 'ann', value: { b: 1, a: 2 } },
    { userId: 'bob', value: null },
  ];
  expect(checkedChange('trait', { set, remove: ['bob'] })).toEqual([
    { userId: 'ann', json: '{"a":2,"b":1}' },
    { userId: 'bob', json: undefined },
  ]);
});

test.each([
  ['audience', { join: ['ann'], leave: ['bob', 'ann'] }, 'leave[1] names a user for the second time'],
  ['trait', { set: [{ userId: 'ann', value: 1 }], remove: ['ann'] }, 'remove[0] names a user for the second time'],
  [
    'trait',
    {
      set: [
        { userId: 'ann', value: 1 },
        { userId: 'ann', value: 2 },
      ],
    },
    'set[1] names a user for the second time',
  ],
] as const)('a change of an %s that gives a user two values is refused (%#)', (kind, change, message) => {
  expect(() => checkedChange(kind, change)).toThrow(`${message}, with another value`);
});

test('a change of more than 5,000 users is refused', () => {
  const join = numbered(MAX_CHANGED - 1);
  expect(checkedChange('audience', { join, leave: ['x'] })).toHaveLength(MAX_CHANGED);
  expect(() => checkedChange('audience', { join, leave: ['x', 'y'] })).toThrow(
    'Expected at most 5000 users in one change, got 5001; send the full list',
  );
});

test.each([
  ['audience', { join: ['ann', ''] }, 'join[1]: expected a non-empty string, got string ""'],
  ['audience', { leave: [7] }, 'leave[0]: expected a non-empty string, got number 7'],
  ['audience', { join: [{ userId: 'ann' }] }, 'join[0]: expected a non-empty string, got an object'],
  ['trait', { set: ['ann'] }, 'set[0]: expected an object with a userId and a value, got string "ann"'],
] as const)('the error for a wrong user in a change of an %s says which user it is (%#)', (kind, change, message) => {
  expect(() => checkedChange(kind, change)).toThrow(message);
});
