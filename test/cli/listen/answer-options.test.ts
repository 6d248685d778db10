import { expect, test } from 'vitest';
import { answersOf, describeAnswer } from '../../../src/cli/listen/answer-options.js';

test.each([
  [{ status: '200' }, '200 200 200 200'],
  [{ status: '500, 503,200' }, '500 503 200 200'],
  [{ status: '500,200', repeat: true }, '500 200 500 200'],
  [{ status: 'hang,reset,slow,204' }, 'hang reset 200 slowly 204'],
  [{ status: 'hang' }, 'hang hang hang hang'],
  [{ status: 'reset' }, 'reset reset reset reset'],
  [{ status: '500,201', slowBody: true }, '500 slowly 201 slowly 201 slowly 201 slowly'],
])('the list of answers %j gives %s', (options, answers) => {
  const answerAt = answersOf(options);
  expect([0, 1, 2, 3].map((index) => describeAnswer(answerAt(index))).join(' ')).toBe(answers);
});

test.each(['', '99', '600', '200,', 'Hang', '1e2'])('the list of answers %j is refused', (status) => {
  expect(() => answersOf({ status })).toThrow('expected a status from 200 to 599, hang, reset or slow');
});
