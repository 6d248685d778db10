import { expect, test } from 'vitest';
import { captureAnalytics } from '../../src/testing/capture-analytics.js';
import { matchers, type SentMatchers } from '../../src/testing/matchers.js';

expect.extend(matchers);

declare module 'vitest' {
  // As docs/testing.md says.
  // biome-ignore lint/suspicious/noExplicitAny: it must be declared as vitest declares it
  interface Matchers<T = any> extends SentMatchers<T> {}
}

test('`toHaveSent` passes for a message that matches, and its negation for none', () => {
  using captured = captureAnalytics();
  captured.analytics.track({ userId: 'u1', event: 'Added', properties: { total: 1 } });
  expect(captured.events).toHaveSent('Added');
  expect(captured.events).toHaveSent({ event: 'Added', properties: { total: expect.any(Number) } }, { times: 1 });
  expect(captured.events).not.toHaveSent('Removed');
  expect(captured.events).not.toHaveSent('Added', { times: 2 });
});

test('`toHaveSent` fails with what differs, and its negation with what was sent', () => {
  using captured = captureAnalytics();
  captured.analytics.track({ userId: 'u1', event: 'Added', properties: { total: 1 } });
  expect(() => expect(captured.events).toHaveSent({ event: 'Added', properties: { total: 2 } })).toThrow(
    'properties.total: expected 2, got 1',
  );
  expect(() => expect(captured.events).not.toHaveSent('Added')).toThrow(/^Expected no message that matches "Added"/);
});

test('`toHaveSent` of something else says what it expects', () => {
  expect(() => expect({ events: [] }).toHaveSent('Added')).toThrow(
    'expect(…).toHaveSent: expected the `events` of a captured client, got an object',
  );
});
