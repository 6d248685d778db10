import { describe } from '../base/text/describe.js';
import type { Message } from '../protocol/message.js';
import { type ExpectedMessage, judge, type TimesOptions } from './verdict.js';

/** The matchers that `expect` has after it was extended. Add them to the types of your test runner: see docs/testing.md. */
export interface SentMatchers<R = unknown> {
  /**
   * Passes if a message was sent with this name, or with these fields.
   *
   * @example
   * expect(events).toHaveSent({ event: 'Order Completed', properties: { total: 42 } });
   */
  toHaveSent(expected: ExpectedMessage, options?: TimesOptions): R;
}

/** The result of a matcher of vitest or Jest. */
export interface MatcherResult {
  pass: boolean;
  message(): string;
}

/** The matchers for `expect.extend(matchers)`, in vitest or in Jest. */
export const matchers = {
  toHaveSent(messages: unknown, expected: ExpectedMessage, options: TimesOptions = {}): MatcherResult {
    if (!Array.isArray(messages)) {
      throw new TypeError(
        `expect(…).toHaveSent: expected the \`events\` of a captured client, got ${describe(messages)}`,
      );
    }
    const list: readonly Message[] = messages;
    const { pass, text } = judge(list, expected, options);
    // The runner asks for the message of a passing matcher only if the matcher was negated.
    return { pass, message: () => (pass ? judge(list, expected, negated(options)).text : text) };
  },
};

const negated = ({ times }: TimesOptions): TimesOptions => ({ times: times === undefined ? 0 : times });
