import { expect, test } from 'vitest';
import { JournalError } from '../../../src/base/errors/journal-errors.js';
import { Problems } from '../../../src/client/journal/problems.js';
import { RETRY_MS, WriteFailure } from '../../../src/client/journal/write-failure.js';
import { FakeClock } from '../../support/fake-clock.js';

function begun() {
  const clock = new FakeClock();
  const told: string[] = [];
  const problems = new Problems((code, path, message) => new JournalError(code, path, message), '/journal');
  const failure = new WriteFailure({
    clock,
    problems,
    onEvent: ({ kind }) => told.push(kind),
    retry: () => told.push('retry'),
  });
  failure.begin(new Error('no room'));
  return { clock, told, failure };
}

test('a journal that cannot write tells that once, and tries again a second after each failure', () => {
  const { clock, told, failure } = begun();
  expect(failure).toMatchObject({ isGoingOn: true, isWaiting: true });
  clock.advance(RETRY_MS - 1);
  expect(told).toEqual(['failing']);
  clock.advance(1);
  expect(told).toEqual(['failing', 'retry']);
  expect(failure.isWaiting).toBe(false);
  failure.begin(new Error('no room'));
  clock.advance(RETRY_MS);
  expect(told).toEqual(['failing', 'retry', 'retry']);
});

test('a journal that can write again tells that once', () => {
  const { told, failure } = begun();
  failure.end();
  failure.end();
  expect(told).toEqual(['failing', 'storing']);
  expect(failure.isGoingOn).toBe(false);
});

test('a journal that failed twice has one time to try again', () => {
  const { clock, told, failure } = begun();
  clock.advance(RETRY_MS / 2);
  failure.begin(new Error('no room'));
  clock.advance(RETRY_MS / 2);
  expect(told).toEqual(['failing']);
  failure.cancelRetry();
  clock.advance(RETRY_MS);
  expect(told).toEqual(['failing']);
});
