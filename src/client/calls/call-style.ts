import { OptionError, ValidationError } from '../../base/errors/errors.js';
import { describe, kindOf } from '../../base/text/describe.js';
import type { MessageTypeName } from '../../protocol/calls.js';

/** The fields of each call, as an example for those who come from a client where it takes several arguments. */
const FIELDS: Readonly<Record<MessageTypeName, string>> = {
  identify: "traits: { plan: 'pro' }",
  track: "event: 'Order Completed', properties: { total: 42 }",
  page: "name: 'Pricing'",
  screen: "name: 'Checkout'",
  group: "groupId: 'g1', traits: { seats: 40 }",
  alias: "previousId: 'a1'",
};

const callOf = (call: MessageTypeName): string => `${call}({ userId: 'u1', ${FIELDS[call]} })`;

/**
 * Explains a call that has more than one argument, or a text as its first: a message that was given in pieces, as in
 * `track('Order Completed', { total: 42 })`, a callback, which would never be called, or options, which would be ignored. What
 * `forEach` and `map` give beside the message, its index and the list, is let pass.
 */
export function mistakeOf(
  call: MessageTypeName,
  message: unknown,
  [second, ...others]: readonly unknown[],
): ValidationError | OptionError | undefined {
  if (typeof message === 'string')
    return new ValidationError(call, `one object, such as ${callOf(call)}`, describe(message));
  const hasCallback = [second, ...others].some((each) => typeof each === 'function');
  if (!hasCallback && (second === undefined || typeof second === 'number')) return undefined;
  const received = `${hasCallback ? 'a function' : kindOf(second)} as well`;
  const hint = hasCallback
    ? 'Instead of a callback, await the `delivered` of the receipt, or `flush()`'
    : `Write ${callOf(call)}`;
  return new OptionError('client', call, 'called with a message alone', received, hint);
}

/** Shows how options are written to a caller that gives a number or a callback in their place. */
export function exampleOf(method: string, option: string, given: unknown): string {
  if (typeof given === 'function') return `await ${method}()`;
  return `${method}({ ${option}: ${typeof given === 'number' ? given : '…'} })`;
}
