import { expect, test } from 'vitest';
import { matcherOf } from '../../../../src/dashboard/page/live/feed-filter.js';

const entryOf = (message: Record<string, unknown>) =>
  ({ kind: 'message', seq: 1, receivedAt: '', source: 'dev', bytes: 1, message }) as const;

const message = { type: 'track', userId: 'Ada-1', event: 'Order Completed', properties: { city: 'Zürich' } };
const nothing = { types: new Set<string>(), text: '', user: '' };

test.each([
  [nothing, true],
  [{ ...nothing, types: new Set(['track', 'page']) }, true],
  [{ ...nothing, types: new Set(['page']) }, false],
  [{ ...nothing, text: ' ORDER ' }, true],
  [{ ...nothing, text: 'zürich' }, true],
  [{ ...nothing, text: 'missing' }, false],
  [{ ...nothing, user: 'ada' }, true],
  [{ ...nothing, user: 'completed' }, false],
])('the filter %j shows the message: %s', (filter, isShown) => {
  expect(matcherOf(filter)(entryOf(message))).toBe(isShown);
});
