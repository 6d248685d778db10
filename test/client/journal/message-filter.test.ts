import { expect, test } from 'vitest';
import {
  isById,
  isFilter,
  letterFilter,
  type MessageSelection,
  matches,
} from '../../../src/client/journal/message-filter.js';

const message = { type: 'track', messageId: 'm1', timestamp: '2026-11-20T12:00:00.000Z', userId: 'u1', event: 'E' };
const AT = Date.parse(message.timestamp);

test.each<[MessageSelection, boolean]>([
  [{}, true],
  [{ userId: 'u1' }, true],
  [{ userId: 'u1', event: 'F' }, false],
  [{ anonymousId: 'u1' }, false],
  [{ from: AT }, true],
  [{ from: AT + 1 }, false],
  [{ to: AT }, false],
  [{ from: AT, to: AT + 1 }, true],
])('the filter %j matches a message or not: %s', (filter, isMeant) => {
  expect(matches(filter, message)).toBe(isMeant);
  expect(letterFilter((found) => matches(filter, found))({ message })).toBe(isMeant);
});

test('a dead letter without a message never matches a filter', () => {
  expect(letterFilter(() => true)({ message: null })).toBe(false);
});

test.each<[unknown, boolean]>([
  [{}, true],
  [{ userId: 'u1', from: 1 }, true],
  [{ userId: 1 }, false],
  [{ from: '1' }, false],
  [{ userId: 'u1', code: 'A' }, false],
  [null, false],
])('this version knows every field of the filter %j: %s', (given, isKnown) => {
  expect(isFilter(given)).toBe(isKnown);
});

test.each<[MessageSelection, boolean]>([
  [{ previousId: 'u1' }, true],
  [{ messageId: 'm1', type: 'track' }, true],
  [{ type: 'track' }, false],
])('the filter %j names an id: %s', (filter, isIt) => {
  expect(isById(filter)).toBe(isIt);
});
