import { expect, test } from 'vitest';
import { changedBy } from '../../../src/service/audiences/difference.js';

test('differences are counted as joined, changed and left', () => {
  const user = { place: 'a', rest: '', userId: 'a' };
  expect(
    changedBy([
      { ...user, json: '1', isKnown: false },
      { ...user, json: '2', isKnown: true },
      { ...user, json: '3', isKnown: true },
      { ...user, json: undefined, isKnown: true },
    ]),
  ).toEqual({ joined: 1, changed: 2, left: 1 });
});
