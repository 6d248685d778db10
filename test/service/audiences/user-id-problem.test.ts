import { expect, test } from 'vitest';
import { MAX_USER_ID_BYTES } from '../../../src/base/options/limits.js';
import { describeProblem, userIdProblem } from '../../../src/service/audiences/user-id-problem.js';

test.each([
  ['u1', undefined],
  ['x'.repeat(MAX_USER_ID_BYTES), undefined],
  ['é'.repeat(MAX_USER_ID_BYTES / 2), undefined],
  ['', 'expected a non-empty string, got string ""'],
  [42, 'expected a non-empty string, got number 42'],
  [undefined, 'expected a non-empty string, got undefined'],
  ['x'.repeat(1_001), 'expected an id of at most 1000 bytes, got one of 1001'],
  ['é'.repeat(501), 'expected an id of at most 1000 bytes, got one of 1002'],
  ['a\ud800', 'expected well-formed text, got half of a surrogate pair'],
])('userIdProblem describes the problem of the user id %.10j as: %s', (value, text) => {
  const problem = userIdProblem(value);
  expect(problem && describeProblem(problem)).toBe(text);
});
