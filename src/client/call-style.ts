import { checkOptions, timeLimit } from '../check-options.js';
import { describe, kindOf } from '../describe.js';
import { OptionError, ValidationError } from '../errors.js';
import type { MessageTypeName } from '../protocol/message.js';

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
    throw new OptionError('client', call, 'called with a message alone', 'a function as well', hint);
  }
  if (second === undefined || typeof second === 'number') return;
  throw new OptionError(
    'client',
    call,
    'called with a message alone',
    `${kindOf(second)} as well`,
    `Write ${EXAMPLES[call]}`,
  );
}

/** How options are written, for a caller that gives a number or a callback in their place. */
export function exampleOf(method: string, option: string, given: unknown): string {
  if (typeof given === 'function') return `await ${method}()`;
  return `${method}({ ${option}: ${typeof given === 'number' ? given : '…'} })`;
}

/** @throws OptionError */
export function checkTimeout(method: 'flush' | 'close', options: unknown): void {
  checkOptions(options, { timeout: timeLimit }, { door: 'client', example: exampleOf(method, 'timeout', options) });
}
