import { expect, test } from 'vitest';
import { AnswerError, type AttemptError } from '../../../src/base/errors/errors.js';
import { MAX_OUTLIVING_BYTES } from '../../../src/base/options/limits.js';
import { PageEnding } from '../../../src/client/ending/page-end.js';

function ending(lastFailure?: AttemptError) {
  const told: unknown[] = [];
  const batcher = {
    sendAtOnce: (bytes: number) => told.push(['send', bytes]),
    abandonAllBut: (bytes: number, error: Error) => told.push(['abandon all but', bytes, error.message]),
  };
  const sender = {
    lastFailure,
    hurry: () => told.push('hurry'),
  };
  const options = { batcher, sender } as unknown as ConstructorParameters<typeof PageEnding>[0];
  return { told, ending: new PageEnding(options) };
}

test('a page that may end sends at once what can outlive it, and loses nothing', () => {
  const { told, ending: page } = ending();
  page.leave(30_000, false);
  expect(told).toEqual(['hurry', ['send', 30_000]]);
});

test('a page that ends loses the messages that do not fit in what outlives it', () => {
  const { told, ending: page } = ending();
  page.leave(30_000, true);
  const why = 'Not delivered: it still waited when the page ended';
  expect(told).toEqual(['hurry', ['send', 30_000], ['abandon all but', MAX_OUTLIVING_BYTES, why]]);
});

test('a page that ends while requests are paused loses all waiting messages, with the reason of the last failure', () => {
  const { told, ending: page } = ending(new AnswerError(503, 'busy', undefined));
  page.leave(30_000, true);
  expect(told.at(-1)).toEqual(['abandon all but', 0, expect.stringContaining('the last attempt failed')]);
});
