import { LONGEST_TIMER_MS } from '../clock.js';
import { describe } from '../describe.js';
import { OptionError, ValidationError } from '../errors.js';
import type { MessageTypeName } from '../protocol/message.js';
import { checkOptionNames, describeUnseen } from './option-names.js';

/** How each call is written, for those who come from a client where it takes several arguments. */
const EXAMPLES: Readonly<Record<MessageTypeName, string>> = {
  identify: "identify({ userId: 'u1', traits: { plan: 'pro' } })",
  track: "track({ userId: 'u1', event: 'Order Completed', properties: { total: 42 } })",
  page: "page({ userId: 'u1', name: 'Pricing' })",
  screen: "screen({ userId: 'u1', name: 'Checkout' })",
  group: "group({ userId: 'u1', groupId: 'g1', traits: { seats: 40 } })",
  alias: "alias({ userId: 'u1', previousId: 'a1' })",
};

/** @throws ValidationError for a message that was given in pieces: `track('Order Completed', { total: 42 })` */
export function refusePieces(call: MessageTypeName, message: string): never {
  throw new ValidationError(call, `one object, such as ${EXAMPLES[call]}`, describe(message));
}

/**
 * What `forEach` and `map` give beside the message, its index and the list, is let pass.
 *
 * @throws OptionError for a callback, which would never be called, and for options, which would be ignored
 */
export function refuseExtra(call: MessageTypeName, [second, ...others]: readonly unknown[]): void {
  if ([second, ...others].some((each) => typeof each === 'function')) {
    const hint = 'Instead of a callback, await the `delivered` of the receipt, or `flush()`';
    throw new OptionError(call, 'called with a message alone', 'a function as well', hint);
  }
  if (second === undefined || typeof second === 'number') return;
  throw new OptionError(
    call,
    'called with a message alone',
    `${describeUnseen(second)} as well`,
    `Write ${EXAMPLES[call]}`,
  );
}

/** @throws OptionError for a number or a callback in the place of options, and for a name that is no option */
export function checkMethodOptions(method: string, options: unknown, known: readonly string[]): void {
  const value = typeof options === 'number' ? options : '…';
  const hint = typeof options === 'function' ? `await ${method}()` : `${method}({ ${known[0]}: ${value} })`;
  checkOptionNames(options, known, hint);
}

/** @throws OptionError */
export function checkTimeout(timeout: unknown): void {
  if (typeof timeout === 'number' && timeout >= 0 && timeout <= LONGEST_TIMER_MS) return;
  throw new OptionError('timeout', `a number of milliseconds from 0 to ${LONGEST_TIMER_MS}`, describe(timeout));
}
