import { expect, test } from 'vitest';
import { flawInId, isGivenId, isUserId, nobodyIn, nullIn, userIdTextProblem } from '../../src/protocol/user-id.js';

test.each(['', 'u1', 'x'.repeat(1_000), '🌍'.repeat(250)])('%j can be the id of a user', (id) => {
  expect(isUserId(id)).toBe(true);
  expect(userIdTextProblem(id)).toBeUndefined();
});

test.each([
  ['x'.repeat(1_001), { expected: 'an id of at most 1000 bytes', received: 'one of 1001' }],
  ['é'.repeat(501), { expected: 'an id of at most 1000 bytes', received: 'one of 1002' }],
  ['日'.repeat(334), { expected: 'an id of at most 1000 bytes', received: 'one of 1002' }],
  ['u\ud800', { expected: 'well-formed text', received: 'half of a surrogate pair' }],
])('%j cannot be the id of a user', (id, problem) => {
  expect(isUserId(id)).toBe(false);
  expect(userIdTextProblem(id)).toEqual(problem);
});

test.each(['undefined', 'NaN', '[object Object]', 'Invalid Date', '() => 1'])(
  'the id %j is reported as identifying nobody',
  (id) => {
    expect(nobodyIn(id)).toBe(`the text "${id}", made from a value that is not an id`);
  },
);

test.each([' ', '\t\n', '\u00a0', '\u3000\u2003', '\u200b'])(
  'the blanks %j are reported as identifying nobody',
  (id) => {
    expect(nobodyIn(id)).toBe('blanks alone');
  },
);

test.each(['', 'u1', 'null', 'Undefined', 'nan', ' u1', '日', 'undefined-1'])(
  '%j is not reported as identifying nobody',
  (id) => {
    expect(nobodyIn(id)).toBeUndefined();
  },
);

test('an id with a control character is refused from a program, although a collector accepts it', () => {
  expect(nobodyIn('u1\r')).toBeUndefined();
  expect(flawInId('u1\r')).toBe('string "u1\\r", which has a control character');
  expect(isGivenId('u1\r')).toBe(false);
  expect(isUserId('u1\r')).toBe(true);
});

test.each(['', 'u1', 'x'.repeat(1_000), '🌍'.repeat(250), 'ada b'])('a program may use the id %j', (id) => {
  expect(isGivenId(id)).toBe(true);
});

test.each([7, undefined, 'x'.repeat(1_001), 'é'.repeat(501), 'u\ud800', 'NaN', 'undefined'])(
  'a program may not use the id %j',
  (id) => {
    expect(isGivenId(id)).toBe(false);
  },
);

test.each(['userId', 'anonymousId', 'groupId', 'previousId'])('an id with the text `null` in %s is found', (name) => {
  expect(nullIn({ userId: 'u1', [name]: 'null' })).toBe(name);
  expect(nullIn({ userId: 'u1', [name]: 'undefined' })).toBeUndefined();
});
