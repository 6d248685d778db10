import type { ReceivedMessage } from './received-message.js';
import type { SeenIds } from './seen-ids.js';

export interface Deduplicated {
  /** Messages that were handed on now. */
  readonly accepted: number;
  /** Messages whose id was handed on before, or is by another request right now. */
  readonly duplicates: number;
}

/**
 * Hands each id on once. An id is remembered when it is stored and not before: while it is being stored by one request,
 * another that brings the same id waits, and shares its end.
 */
export class Deduplicator {
  readonly #seen: SeenIds;
  readonly #now: () => number;
  /** For each source, the ids that are being stored; the promise says whether they were. It never rejects. */
  readonly #underWay = new Map<string, Map<string, Promise<boolean>>>();

  constructor(seen: SeenIds, now: () => number) {
    this.#seen = seen;
    this.#now = now;
  }

  get remembered(): number {
    return this.#seen.size;
  }

  /**
   * Resolves when everything in `messages` is stored, by this request or by another.
   *
   * @throws what `store` throws; StoredElsewhereError when it was another request's store that failed.
   */
  async handOn(
    source: string,
    messages: readonly ReceivedMessage[],
    store: (fresh: ReceivedMessage[]) => void | Promise<void>,
  ): Promise<Deduplicated> {
    let settle: (stored: boolean) => void = () => {};
    const mine = new Promise<boolean>((resolve) => {
      settle = resolve;
    });
    const { fresh, others } = this.#sort(source, messages, mine);
    let stored = false;
    try {
      if (fresh.length > 0) await store(fresh);
      stored = true;
    } finally {
      this.#finish(source, fresh, stored);
      settle(stored);
    }
    // `mine` is among them when a message is twice in one batch; it is settled by now.
    for (const other of others) if (!(await other)) throw new StoredElsewhereError();
    return { accepted: fresh.length, duplicates: messages.length - fresh.length };
  }

  #sort(source: string, messages: readonly ReceivedMessage[], mine: Promise<boolean>) {
    const nowMs = this.#now();
    const underWay = this.#underWayOf(source);
    const fresh: ReceivedMessage[] = [];
    const others = new Set<Promise<boolean>>();
    for (const message of messages) {
      const { messageId } = message;
      const storing = underWay.get(messageId);
      if (storing !== undefined) others.add(storing);
      else if (!this.#seen.has(source, messageId, nowMs)) {
        underWay.set(messageId, mine);
        fresh.push(message);
      }
    }
    return { fresh, others };
  }

  #finish(source: string, messages: readonly ReceivedMessage[], stored: boolean): void {
    const nowMs = this.#now();
    const underWay = this.#underWayOf(source);
    for (const { messageId } of messages) {
      underWay.delete(messageId);
      if (stored) this.#seen.add(source, messageId, nowMs);
    }
    if (underWay.size === 0) this.#underWay.delete(source);
  }

  #underWayOf(source: string): Map<string, Promise<boolean>> {
    let ids = this.#underWay.get(source);
    if (ids === undefined) {
      ids = new Map();
      this.#underWay.set(source, ids);
    }
    return ids;
  }
}

/** The request that was storing the same message failed to, so this one is not stored either. */
class StoredElsewhereError extends Error {
  override readonly name = 'StoredElsewhereError';

  constructor() {
    super('Another request was storing the same message and failed');
  }
}
