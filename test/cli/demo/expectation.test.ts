import { beforeEach, expect, test } from 'vitest';
import { DemoArrivals, noting } from '../../../src/cli/demo/expectation.js';
import type { TypedMessage } from '../../../src/protocol/calls.js';

const sent = (messageId: string): TypedMessage => ({
  type: 'track',
  messageId,
  userId: 'u1',
  event: 'Commit Authored',
  timestamp: '2024-01-01T01:00:00+01:00',
  properties: { hash: 'abc', merge: false },
});

/** Returns the message as it arrives: with another order of keys, and the time in UTC. */
const arrived = (messageId: string) => ({
  properties: { merge: false, hash: 'abc' },
  ...{ type: 'track', userId: 'u1', event: 'Commit Authored', messageId, timestamp: '2024-01-01T00:00:00.000Z' },
});

let arrivals: DemoArrivals;

beforeEach(async () => {
  const expected = new Map<string, string>();
  async function* source(): AsyncGenerator<TypedMessage> {
    yield sent('a');
    yield sent('b');
  }
  for await (const message of noting(expected, source())) expect(message.type).toBe('track');
  arrivals = new DemoArrivals(expected);
});

test('arrivals are right when every message arrives once and unchanged, in any order', () => {
  for (const id of ['b', 'a']) arrivals.note(arrived(id));
  expect(arrivals.counts()).toMatchObject({ arrived: 2, missing: 0, doubled: 0, changed: 0, unknown: 0 });
  expect(arrivals.isRight).toBe(true);
});

test('arrivals count a message that does not arrive as missing', () => {
  arrivals.note(arrived('a'));
  expect(arrivals.counts()).toMatchObject({ arrived: 1, missing: 1 });
  expect(arrivals.isRight).toBe(false);
});

test('arrivals count a message that arrives twice as doubled', () => {
  for (const id of ['a', 'b', 'a']) arrivals.note(arrived(id));
  expect(arrivals.counts()).toMatchObject({ arrived: 2, doubled: 1 });
  expect(arrivals.isRight).toBe(false);
});

test.each([
  { ...arrived('a'), timestamp: '2024-01-01T00:00:00.001Z' },
  { ...arrived('a'), extra: true },
  { ...arrived('a'), properties: { hash: 'abd', merge: false } },
])('arrivals count a message that differs from the sent one as changed: %#', (message) => {
  arrivals.note(message);
  arrivals.note(arrived('b'));
  expect(arrivals.counts()).toMatchObject({ missing: 0, changed: 1 });
  expect(arrivals.isRight).toBe(false);
});

test('arrivals count a message that was not sent as unknown', () => {
  for (const id of ['a', 'b', 'c']) arrivals.note(arrived(id));
  expect(arrivals.counts()).toMatchObject({ arrived: 2, unknown: 1 });
  expect(arrivals.isRight).toBe(false);
});
