import { type Answer, FAILED, HANDLED } from './handled-answer.js';
import type { ReadEvent } from './read-event.js';
import type { Delivery, ResolvedReceiverOptions } from './receiver-options.js';

/** Passes events to the caller's functions. An event that arrives again while it is being handled shares the first result. */
export class Dispatcher {
  readonly #options: ResolvedReceiverOptions;
  readonly #underWay = new Map<string, Promise<Answer>>();

  constructor(options: ResolvedReceiverOptions) {
    this.#options = options;
  }

  /**
   * Resolves to the response when the handler has ended. Never rejects.
   *
   * @param isLate returns true once the sender was answered before the handler has ended
   */
  start(read: ReadEvent, delivery: Delivery, webhookId: string | undefined, isLate: () => boolean): Promise<Answer> {
    const id = this.#options.seen === undefined ? undefined : (messageIdOf(read) ?? webhookId);
    if (id === undefined) return this.#handle(read, delivery, id, isLate);
    const underWay = this.#underWay.get(id);
    if (underWay !== undefined) return underWay;
    const started = this.#handle(read, delivery, id, isLate).finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, started);
    return started;
  }

  async #handle(
    { known, event }: ReadEvent,
    delivery: Delivery,
    id: string | undefined,
    isLate: () => boolean,
  ): Promise<Answer> {
    const { onEvent, onUnknown, onError, seen } = this.#options;
    try {
      if (id !== undefined && (await seen?.(id))) return HANDLED;
      await (known ? onEvent(event, delivery) : onUnknown(event, delivery));
      return HANDLED;
    } catch (error) {
      ignoreErrors(() => onError(error, { event, answered: isLate() }));
      return FAILED;
    }
  }
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
