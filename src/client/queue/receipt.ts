import type { EventferryError } from '../../base/errors/errors.js';
import { NoJournalError } from '../../base/errors/journal-errors.js';

/** The result of a call. It shows that the message was accepted, and can report how it ended. */
export interface Receipt {
  /** The id with which the message is sent; empty if the call's argument could not become a message. */
  readonly messageId: string;
  /**
   * Resolves when the collector has accepted this message, or at once if the message is `filtered`; rejects with the reason if it
   * is lost. Reading this property creates the promise: code that does not read it pays nothing and cannot cause an unhandled
   * rejection.
   */
  readonly delivered: Promise<void>;
  /**
   * With a `journal`: resolves when the message is as safe as `durability` says, or was delivered before that; rejects with the
   * reason if it is lost before. Without a `journal` it rejects.
   */
  readonly stored: Promise<void>;
  /** True if the message is not sent because a `before` function dropped it or the client is not `enabled`. */
  readonly filtered: boolean;
}

/** A message that waits in a batch. */
export class QueuedReceipt implements Receipt {
  readonly messageId: string;
  readonly #results: Results;
  readonly #index: number;

  constructor(messageId: string, results: Results, index: number) {
    this.messageId = messageId;
    this.#results = results;
    this.#index = index;
  }

  get delivered(): Promise<void> {
    return this.#results.of(this.#index);
  }

  get stored(): Promise<void> {
    return this.#results.storedOf?.(this.#index) ?? Promise.reject(new NoJournalError());
  }

  get filtered(): boolean {
    return false;
  }

  /** Records how the messages of its batch end. */
  get results(): Results {
    return this.#results;
  }

  /** The message's index in the batch. */
  get index(): number {
    return this.#index;
  }
}

/** The receipt of a message that never entered a batch: lost with an error, or filtered without one. */
export class UnqueuedReceipt implements Receipt {
  readonly messageId: string;
  readonly #error: EventferryError | undefined;

  constructor(messageId: string, error?: EventferryError) {
    this.messageId = messageId;
    this.#error = error;
  }

  get delivered(): Promise<void> {
    const end = this.#error === undefined ? Promise.resolve() : Promise.reject(this.#error);
    // A call that never throws must not end the process either, if its caller reads the promise without handling it.
    end.catch(() => {});
    return end;
  }

  get stored(): Promise<void> {
    return this.delivered;
  }

  /** The reason for the loss. */
  get error(): EventferryError | undefined {
    return this.#error;
  }

  get filtered(): boolean {
    return this.#error === undefined;
  }
}

/** Returns the reason why a message of a batch was lost; undefined if it was delivered. */
export type ErrorOf = (index: number) => EventferryError | undefined;

/**
 * Records how the messages of one batch ended. They end in order, so one number tells how many have; dropped messages end
 * earlier, as lost. Only errors, and callers that asked before the end, take memory.
 */
export class Results {
  /** Resolves when a message is in the journal; undefined without a journal. */
  storedOf: ((index: number) => Promise<void>) | undefined;
  /** The number of messages, counted from the first, that are in a journal and survive the end of this process. */
  stored = 0;
  /** The number of messages, counted from the first, that have ended. Only `endUpTo` changes it. */
  ended = 0;
  readonly #errors = new Map<number, EventferryError>();
  /** The callers that wait to learn how a message ends, each with the index of that message; undefined until there is one. */
  #waiters: Map<() => void, number> | undefined;

  /** Ends the messages before `to`. Without `errorOf` they were delivered. */
  endUpTo(to: number, errorOf?: ErrorOf): void {
    for (let index = this.ended; index < to && errorOf !== undefined; index++) {
      const error = errorOf(index);
      if (error !== undefined && !this.hasEnded(index)) this.#errors.set(index, error);
    }
    this.ended = to;
    this.#tellWaiters();
  }

  /** Ends one message as lost, before those ahead of it. */
  endEarly(index: number, error: EventferryError): void {
    this.#errors.set(index, error);
    this.#tellWaiters();
  }

  hasEnded(index: number): boolean {
    return index < this.ended || this.#errors.has(index);
  }

  /** Resolves if the message is delivered, and rejects with the reason if it is lost. */
  of(index: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const tell = (): void => {
        const error = this.lossOf(index);
        if (error === undefined) resolve();
        else reject(error);
      };
      if (this.hasEnded(index)) return tell();
      this.#waiters ??= new Map();
      this.#waiters.set(tell, index);
    });
  }

  /** Returns the reason why an ended message was lost; undefined if it was delivered. */
  lossOf(index: number): EventferryError | undefined {
    return this.#errors.get(index);
  }

  #tellWaiters(): void {
    for (const [tell, index] of this.#waiters ?? []) {
      if (!this.hasEnded(index)) continue;
      this.#waiters?.delete(tell);
      tell();
    }
  }
}
