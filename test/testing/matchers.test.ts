import { expect, test } from 'vitest';
import { captureAnalytics } from '../../src/testing/capture-analytics.js';
import { matchers, type SentMatchers } from '../../src/testing/matchers.js';

expect.extend(matchers);

declare module 'vitest' {
  // As described in docs/testing.md.
  // biome-ignore lint/suspicious/noExplicitAny: it must be declared as vitest declares it
  interface Matchers<T = any> extends SentMatchers<T> {}
}

test('`toHaveSent` passes if a message matches, and its negation if none does', () => {
  using captured = captureAnalytics();
  captured.analytics.track({ userId: 'u1', event: 'Added', properties: { total: 1 } });
  expect(captured.events).toHaveSent('Added');
  expect(captured.events).toHaveSent({ event: 'Added', properties: { total: expect.any(Number) } }, { times: 1 });
  expect(captured.events).not.toHaveSent('Removed');
  expect(captured.events).not.toHaveSent('Added', { times: 2 });
});

test('`toHaveSent` fails with the differences, and its negation with what was sent', () => {
  using captured = captureAnalytics();
  captured.analytics.track({ userId: 'u1', event: 'Added', properties: { total: 1 } });
  expect(() => expect(captured.events).toHaveSent({ event: 'Added', properties: { total: 2 } })).toThrow(
    'properties.total: expected 2, got 1',
  );
  expect(() => expect(captured.events).not.toHaveSent('Added')).toThrow(/^Expected no message that matches "Added"/);
});

test('`toHaveSent` explains what it expects if it gets something else', () => {
  expect(() => expect({ events: [] }).toHaveSent('Added')).toThrow(
    'expect(…).toHaveSent: expected the `events` of a captured client, got an object',
  );
});
