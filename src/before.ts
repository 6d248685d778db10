import { FilteredError, HookError } from './errors.js';
import { type Defaults, draft, type Stamp } from './messages/draft.js';
import type { Message } from './messages/message.js';
import type { MessageType } from './messages/message-type.js';
import type { Before } from './options.js';

const NOTHING: Defaults = {};

/**
 * A message as the `before` functions leave it, checked again after each.
 *
 * @throws FilteredError when one drops it, HookError when one fails
 */
export function runBefore(hooks: readonly Before[], type: MessageType, message: Message, stamp: Stamp): Message {
  let current = message;
  for (const hook of hooks) current = runOne(hook, type, current, stamp);
  return current;
}

function runOne(hook: Before, type: MessageType, message: Message, stamp: Stamp): Message {
  let returned: unknown;
  try {
    returned = hook(message);
    if (returned instanceof Promise) {
      // Nobody else hears of it when it rejects, and that would end the process.
      returned.catch(() => {});
      throw new TypeError('it returned a promise, and must answer at once');
    }
    if (returned !== null) return draft(type, returned, NOTHING, stamp);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new HookError(`A \`before\` function failed: ${why}`, { cause: error });
  }
  throw new FilteredError('A `before` function dropped the message');
}
