import { OptionError, ValidationError } from '../../base/errors/errors.js';
import { describe, kindOf } from '../../base/text/describe.js';
import type { MessageTypeName } from '../../protocol/calls.js';

/** An example of each call's fields, for users of clients in which a call takes several arguments. */
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
 * Explains a call that has more than one argument, or text as its first: a message given in pieces, as in `track('Order
 * Completed', { total: 42 })`, a callback, which would never be called, or options, which would be ignored. The index and the
 * list that `forEach` and `map` pass after the message are allowed.
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
  return new OptionError('client', call, 'called with a message only', received, hint);
}

/** Shows how options are written to a caller that passed a number or a callback instead. */
export function exampleOf(method: string, option: string, given: unknown): string {
  if (typeof given === 'function') return `await ${method}()`;
  return `${method}({ ${option}: ${typeof given === 'number' ? given : '…'} })`;
}
