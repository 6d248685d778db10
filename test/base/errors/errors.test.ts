import { expect, test } from 'vitest';
import {
  AbortedError,
  AnswerError,
  ConnectionError,
  isAttemptError,
  LoadError,
  MessageTooLargeError,
  OptionError,
  problemText,
  RefusesAllError,
  RejectedError,
  RetriesExhaustedError,
} from '../../../src/base/errors/errors.js';

const cause = new AnswerError(503, 'later', 1_000);

test.each([
  [new OptionError('client', 'flushAt', 'an integer', 'a string'), 'Expected `flushAt` to be an integer, got a string'],
  [new OptionError('client', 'a', 'b', 'c', 'Did you mean `d`?'), 'Expected `a` to be b, got c. Did you mean `d`?'],
  [
    new MessageTooLargeError({
      messageId: 'm',
      bytes: 40_000,
      limit: 32_000,
      event: 'Paid',
      largest: 'track.properties.a (9 characters)',
    }),
    'Message m (Paid) is 40000 bytes; the limit is 32000. The largest property is track.properties.a (9 characters)',
  ],
  [
    new MessageTooLargeError({
      messageId: 'm',
      bytes: 40_000,
      limit: 32_000,
      event: 'Paid',
      path: 'track.properties.rows',
    }),
    'Message m (Paid) is at least 40000 bytes (counted up to track.properties.rows); the limit is 32000',
  ],
  [
    new MessageTooLargeError({ messageId: 'a\nb\u{2028}', bytes: 40_000, limit: 32_000, event: 'c\nd' }),
    'Message a\\nb\\u{2028} (c\\nd) is 40000 bytes; the limit is 32000',
  ],
  [new RejectedError(403, ''), 'The collector refused the message with status 403'],
  [new RejectedError(403, 'no', 'Check it'), 'The collector refused the message with status 403: no. Check it'],
  [new RetriesExhaustedError(1, { cause }), 'Gave up after 1 attempt: The collector answered 503: later'],
  [new RetriesExhaustedError(2, { cause }), 'Gave up after 2 attempts: The collector answered 503: later'],
  [new AbortedError('the process ended'), 'Not delivered: the process ended'],
  [
    new AbortedError('the process ended', cause),
    'Not delivered: the process ended; the last attempt failed: The collector answered 503: later',
  ],
  [new LoadError('undici', new Error('not found')), 'Cannot load undici, which sending needs: not found'],
  [new AnswerError(503, '', undefined), 'The collector answered 503'],
  [new RefusesAllError(400, ''), 'The collector refuses every message with status 400'],
])('an error reads as one sentence with the values that explain it: %s', (error, message) => {
  expect(error.message).toBe(message);
});

test.each([
  ['client', 'EVENTFERRY_INVALID_OPTION'],
  ['collector', 'EVENTFERRY_COLLECTOR_INVALID_OPTION'],
] as const)('a wrong option of %s has the error code %s', (door, code) => {
  expect(new OptionError(door, 'a', 'b', 'c').code).toBe(code);
});

test('an error that wraps another one has it as its cause', () => {
  expect(new RetriesExhaustedError(1, { cause }).cause).toBe(cause);
  expect(new AbortedError('why', cause).cause).toBe(cause);
  expect(new AbortedError('why')).not.toHaveProperty('cause');
  expect(new LoadError('undici', cause).cause).toBe(cause);
  const connection = new ConnectionError('broke off', { cause, causeCode: 'ECONNRESET' });
  expect([connection.cause, connection.causeCode]).toEqual([cause, 'ECONNRESET']);
});

test('isAttemptError tells an error of one attempt, which may be repeated, from one that ends a message', () => {
  const attempts = [cause, new ConnectionError('broke off'), new RefusesAllError(400, 'no')];
  expect(attempts.map(isAttemptError)).toEqual([true, true, true]);
  expect([new RejectedError(403, 'no'), new Error('no'), undefined].map(isAttemptError)).toEqual([false, false, false]);
});

test('the text of a problem begins with its path, if there is one', () => {
  expect(problemText('track.event', 'a string', 'number 1')).toBe('track.event: expected a string, got number 1');
  expect(problemText('', 'a string', 'number 1')).toBe('expected a string, got number 1');
});
