import { expect, test } from 'vitest';
import { type BacklogLimit, checkBounds, DEAD_LETTERS } from '../../src/destination/destination-bounds.js';
import { UNBOUNDED } from '../../src/scheduler/backlog-bounds.js';

test('a bound that is left out is the one that holds otherwise', () => {
  expect(checkBounds('maxBacklog', undefined, UNBOUNDED)).toBe(UNBOUNDED);
  expect(checkBounds('maxDeadLetters', { events: 7 }, DEAD_LETTERS)).toEqual({ ...DEAD_LETTERS, events: 7 });
  expect(checkBounds('maxBacklog', { bytes: 8, age: 9 }, UNBOUNDED)).toEqual({ ...UNBOUNDED, bytes: 8, ageMs: 9 });
});

test('a bound may be Infinity, which is none', () => {
  expect(checkBounds('maxDeadLetters', { events: Number.POSITIVE_INFINITY }, DEAD_LETTERS).events).toBe(
    Number.POSITIVE_INFINITY,
  );
});

test.each<[unknown, string]>([
  [{ events: 0 }, 'Expected `maxBacklog.events` to be an integer from 1 up, got number 0'],
  [{ bytes: 1.5 }, 'Expected `maxBacklog.bytes` to be an integer from 1 up, got number 1.5'],
  [{ age: -1 }, 'Expected `maxBacklog.age` to be an integer from 1 up, got number -1'],
  [{ count: 1 }, 'Expected `maxBacklog.count` to be a known option'],
])('the bounds %j are refused: %s', (given, message) => {
  expect(() => checkBounds('maxBacklog', given as BacklogLimit, UNBOUNDED)).toThrow(message);
});
