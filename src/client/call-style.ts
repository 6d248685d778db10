import { checkOptions, timeLimit } from '../check-options.js';
import { describe, kindOf } from '../describe.js';
import { OptionError, ValidationError } from '../errors.js';
import type { MessageTypeName } from '../protocol/message.js';

/** How each call is written, for those who come from a client where it takes several arguments. */
const FIELDS: Readonly<Record<MessageTypeName, string>> = {
  identify: "traits: { plan: 'pro' }",
  track: "event: 'Order Completed', properties: { total: 42 }",
  page: "name: 'Pricing'",
  screen: "name: 'Checkout'",
  group: "groupId: 'g1', traits: { seats: 40 }",
  alias: "previousId: 'a1'",
};

const callOf = (call: MessageTypeName): string => `${call}({ userId: 'u1', ${FIELDS[call]} })`;

/** @throws ValidationError for a message that was given in pieces: `track('Order Completed', { total: 42 })` */
export function refusePieces(call: MessageTypeName, message: string): never {
  throw new ValidationError(call, `one object, such as ${callOf(call)}`, describe(message));
}

/**
 * What `forEach` and `map` give beside the message, its index and the list, is let pass.
 *
 * @throws OptionError for a callback, which would never be called, and for options, which would be ignored
 */
export function refuseExtra(call: MessageTypeName, [second, ...others]: readonly unknown[]): void {
  const hasCallback = [second, ...others].some((each) => typeof each === 'function');
  if (!hasCallback && (second === undefined || typeof second === 'number')) return;
  const received = `${hasCallback ? 'a function' : kindOf(second)} as well`;
  const hint = hasCallback
    ? 'Instead of a callback, await the `delivered` of the receipt, or `flush()`'
    : `Write ${callOf(call)}`;
  throw new OptionError('client', call, 'called with a message alone', received, hint);
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
