import { type Answer, FAILED, HANDLED } from './handled-answer.js';
import type { ReadEvent } from './read-event.js';
import type { Delivery, ResolvedReceiverOptions } from './receiver-options.js';

/**
 * Passes an event to the caller's functions, and resolves to the response when the handler has ended. Never rejects.
 *
 * @param isLate returns true once the sender was answered before the handler has ended
 */
export type Dispatch = (
  read: ReadEvent,
  delivery: Delivery,
  webhookId: string | undefined,
  isLate: () => boolean,
) => Promise<Answer>;

/** Makes a `Dispatch` in which an event that arrives again while it is being handled shares the first result. */
export function dispatcher({ onEvent, onUnknown, onError, seen }: ResolvedReceiverOptions): Dispatch {
  const underWay = new Map<string, Promise<Answer>>();
  return (read, delivery, webhookId, isLate) => {
    const { known, event } = read;
    const id = seen === undefined ? undefined : (messageIdOf(read) ?? webhookId);
    const handle = async (): Promise<Answer> => {
      try {
        if (id !== undefined && (await seen?.(id))) return HANDLED;
        await (known ? onEvent(event, delivery) : onUnknown(event, delivery));
        return HANDLED;
      } catch (error) {
        ignoreErrors(() => onError(error, { event, answered: isLate() }));
        return FAILED;
      }
    };
    if (id === undefined) return handle();
    const started = underWay.get(id) ?? handle().finally(() => underWay.delete(id));
    underWay.set(id, started);
    return started;
  };
}

function messageIdOf({ event }: ReadEvent): string | undefined {
  const id: unknown = 'messageId' in event ? event.messageId : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Calls a callback that is only notified. An error in it is ignored, because there is nowhere left to report it. */
export async function ignoreErrors(hook: () => unknown): Promise<void> {
  try {
    await hook();
  } catch {}
}
