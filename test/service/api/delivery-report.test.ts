import { expect, test } from 'vitest';
import { attemptReport, lastAttempt, namesIn } from '../../../src/service/api/delivery-report.js';

const attempt = { at: 0, durationMs: 31, result: 'rejected' } as const;

test('an answer that fills its room is said to be cut', () => {
  expect(attemptReport({ ...attempt, answer: 'x' }).answer).toMatchObject({ isCut: false });
  expect(attemptReport({ ...attempt, answer: 'x'.repeat(2_048) }).answer).toMatchObject({ isCut: true });
});

test.each([
  [{ ...attempt, status: 404 }, '404'],
  [{ ...attempt, code: 'ECONNREFUSED' }, 'ECONNREFUSED'],
  [attempt, 'rejected'],
])('the result of %j is %s', (last, result) => {
  expect(lastAttempt(last)).toEqual({ lastAttemptAt: '1970-01-01T00:00:00.000Z', result, durationMs: 31 });
});

test('what was never tried has no result', () => {
  expect(lastAttempt(undefined)).toEqual({ lastAttemptAt: null, result: null, durationMs: null });
});

test('only texts of a message name it', () => {
  expect(namesIn({ event: 'A', userId: 7, anonymousId: 'a1' })).toEqual({ event: 'A', anonymousId: 'a1' });
  expect(namesIn(undefined)).toEqual({});
});
