import { expect, test } from 'vitest';
import { isUserId, namesNobody, namesNull, nobodyIn, userIdTextProblem } from '../../src/protocol/user-id.js';

test.each(['', 'u1', 'x'.repeat(1_000), '🌍'.repeat(250)])('%j can be the id of a user', (id) => {
  expect(isUserId(id)).toBe(true);
  expect(userIdTextProblem(id)).toBeUndefined();
});

test.each([
  ['x'.repeat(1_001), { expected: 'an id of at most 1000 bytes', received: 'one of 1001' }],
  ['é'.repeat(501), { expected: 'an id of at most 1000 bytes', received: 'one of 1002' }],
  ['日'.repeat(334), { expected: 'an id of at most 1000 bytes', received: 'one of 1002' }],
  ['u\ud800', { expected: 'well-formed text', received: 'half of a surrogate pair' }],
])('%j can be no id of a user', (id, problem) => {
  expect(isUserId(id)).toBe(false);
  expect(userIdTextProblem(id)).toEqual(problem);
});

test.each(['undefined', 'NaN', '[object Object]'])(
  'the id %j names nobody, and is said to be what became of one that was not there',
  (id) => {
    expect(nobodyIn(id)).toBe(`the text "${id}", which is no id but what became of one that was not there`);
  },
);

test.each([' ', '\t\n', '\u00a0', '\u3000\u2003'])('the blanks %j name nobody', (id) => {
  expect(nobodyIn(id)).toBe('blanks alone');
});

test.each(['', 'u1', 'null', 'Undefined', 'nan', ' u1', '日', 'undefined-1'])('%j is not said to name nobody', (id) => {
  expect(nobodyIn(id)).toBeUndefined();
});

test.each(['userId', 'anonymousId', 'groupId', 'previousId'])('a message whose %s names nobody is found', (name) => {
  expect(namesNobody({ userId: 'u1', [name]: 'undefined' })).toBe(true);
  expect(namesNull({ userId: 'u1', [name]: 'null' })).toBe(true);
  expect(namesNobody({ userId: 'u1', [name]: 'null' })).toBe(false);
  expect(namesNull({ userId: 'u1', [name]: 'undefined' })).toBe(false);
});
