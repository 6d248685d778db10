import { AssertionError } from 'node:assert';
import { expect, test } from 'vitest';
import { assertNotSent, assertSent } from '../../src/testing/assert-sent.js';
import { captureAnalytics } from '../../src/testing/capture-analytics.js';

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

test('`assertSent` returns the first message that matches', () => {
  using captured = captureAnalytics();
  const { messageId } = captured.analytics.track({ userId: 'u1', event: 'Added' });
  captured.analytics.track({ userId: 'u1', event: 'Added' });
  expect(assertSent(captured.events, 'Added')).toMatchObject({ messageId });
  expect(assertSent(captured.events, { event: 'Added' }, { times: 2 })).toMatchObject({ messageId });
});

test('`assertSent` throws an assertion error with the nearest message and the expected one', () => {
  using captured = captureAnalytics();
  captured.analytics.track({ userId: 'u1', event: 'Added', properties: { total: 1 } });
  const expected = { event: 'Added', properties: { total: 2 } };
  const error = thrownBy(() => assertSent(captured.events, expected));
  expect(error).toBeInstanceOf(AssertionError);
  expect(error).toMatchObject({ code: 'ERR_ASSERTION', operator: 'assertSent', expected, actual: { event: 'Added' } });
  expect(String(error)).toContain('properties.total: expected 2, got 1');
  expect((error as Error).stack).not.toContain('at assertSent');
});

test('`assertNotSent` throws if such a message was sent', () => {
  using captured = captureAnalytics();
  assertNotSent(captured.events, 'Added');
  captured.analytics.track({ userId: 'u1', event: 'Added' });
  expect(thrownBy(() => assertNotSent(captured.events, 'Added'))).toMatchObject({
    code: 'ERR_ASSERTION',
    message: expect.stringMatching(/^Expected no message that matches "Added", got 1 of 1/),
  });
});
