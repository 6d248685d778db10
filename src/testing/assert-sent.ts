import type { Message } from '../protocol/message.js';
import { type ExpectedMessage, judge, type TimesOptions } from './verdict.js';

/**
 * Asserts that a message was sent, and returns the first that matches. Works with `node:test` and with any other runner.
 *
 * @param messages the `events` of a captured client, or any other list of messages
 * @param expected the name of an event, a page or a screen, or some fields of the message
 * @throws AssertionError of `node:assert`, which shows what differs in the closest message
 * @example
 * assertSent(events, { event: 'Order Completed', properties: { total: 42 } });
 * assertSent(events, 'Order Completed', { times: 2 });
 */
export function assertSent(
  messages: readonly Message[],
  expected: ExpectedMessage,
  options: TimesOptions = {},
): Message | undefined {
  const { pass, text, matching, nearest } = judge(messages, expected, options);
  if (pass) return matching[0];
  const { AssertionError } = process.getBuiltinModule('node:assert');
  const compared = options.times === undefined && typeof expected === 'object' ? { actual: nearest, expected } : {};
  throw new AssertionError({ message: text, operator: 'assertSent', stackStartFn: assertSent, ...compared });
}

/**
 * Asserts that no such message was sent.
 *
 * @throws AssertionError of `node:assert`
 */
export function assertNotSent(messages: readonly Message[], expected: ExpectedMessage): void {
  const { pass, text } = judge(messages, expected, { times: 0 });
  if (pass) return;
  const { AssertionError } = process.getBuiltinModule('node:assert');
  throw new AssertionError({ message: text, operator: 'assertNotSent', stackStartFn: assertNotSent });
}
