import { expect, test } from 'vitest';
import { attemptReport, lastAttempt, namesIn } from '../../../src/service/api/delivery-report.js';

const attempt = { at: 0, durationMs: 31, result: 'rejected' } as const;

test('an answer that fills the kept size is reported as cut', () => {
  expect(attemptReport({ ...attempt, answer: 'x' }).answer).toMatchObject({ isCut: false });
  expect(attemptReport({ ...attempt, answer: 'x'.repeat(2_048) }).answer).toMatchObject({ isCut: true });
});

test.each([
  [{ ...attempt, status: 404 }, '404'],
  [{ ...attempt, code: 'ECONNREFUSED' }, 'ECONNREFUSED'],
  [attempt, 'rejected'],
])('the last attempt %j has the result %s', (last, result) => {
  expect(lastAttempt(last)).toEqual({ lastAttemptAt: '1970-01-01T00:00:00.000Z', result, durationMs: 31 });
});

test('a delivery that was never tried has no result', () => {
  expect(lastAttempt(undefined)).toEqual({ lastAttemptAt: null, result: null, durationMs: null });
});

test('the names of a message are taken only from texts', () => {
  expect(namesIn({ event: 'A', userId: 7, anonymousId: 'a1' })).toEqual({ event: 'A', anonymousId: 'a1' });
  expect(namesIn(undefined)).toEqual({});
});
