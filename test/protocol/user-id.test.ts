import { expect, test } from 'vitest';
import { isUserId, userIdTextProblem } from '../../src/protocol/user-id.js';

test.each(['', 'u1', 'x'.repeat(1_000), '🌍'.repeat(250)])('%j can be the id of a user', (id) => {
  expect(isUserId(id)).toBe(true);
  expect(userIdTextProblem(id)).toBeUndefined();
});

test.each([
  ['x'.repeat(1_001), { expected: 'an id of at most 1000 bytes', received: 'one of 1001' }],
  ['é'.repeat(501), { expected: 'an id of at most 1000 bytes', received: 'one of 1002' }],
  ['u\ud800', { expected: 'well-formed text', received: 'half of a surrogate pair' }],
])('%j can be no id of a user', (id, problem) => {
  expect(isUserId(id)).toBe(false);
  expect(userIdTextProblem(id)).toEqual(problem);
});
