import { describeThrown } from '../../base/errors/describe-thrown.js';
import { HookError } from '../../base/errors/errors.js';
import { isPromiseLike, onRejection } from '../../base/errors/on-rejection.js';
import type { Message } from '../../protocol/message.js';
import type { MessageType } from '../../protocol/message-type.js';
import { normalize, type ResolvedMessageDefaults, type Stamp } from '../../protocol/normalize.js';
import type { Before } from '../analytics-options.js';

const NOTHING: ResolvedMessageDefaults = {};

/**
 * Passes a message through the `before` functions and checks it again after each. Returns null if one drops it.
 *
 * @throws HookError if one fails
 */
export function runBefore(hooks: readonly Before[], type: MessageType, message: Message, stamp: Stamp): Message | null {
  let current: Message | null = message;
  for (const hook of hooks) {
    current = runOne(hook, type, current, stamp);
    if (current === null) return null;
  }
  return current;
}

function runOne(hook: Before, type: MessageType, message: Message, stamp: Stamp): Message | null {
  let returned: unknown;
  try {
    returned = hook(message);
    if (returned === null) return null;
    if (!isPromiseLike(returned)) return normalize(type, returned, NOTHING, stamp);
  } catch (error) {
    throw hookFailure(error);
  }
  onRejection(returned, () => {});
  throw new HookError('A `before` function failed: it returned a promise, and must answer at once');
}

/** Returns the error with which the message is lost, with the thrown value as its cause. */
export const hookFailure = (error: unknown): HookError =>
  new HookError(`A \`before\` function failed: ${describeThrown(error)}`, { cause: error });
