import type { EventferryError } from '../../base/errors/errors.js';
import { NoJournalError } from '../../base/errors/journal-errors.js';
import type { Results } from './results.js';

/** The result of a call: proof that the message was accepted, and the way to learn how it ended. */
export interface Receipt {
  /** The id the message is sent with; empty where a call was given what no message can be made of. */
  readonly messageId: string;
  /**
   * Resolves when the collector has accepted this very message, and at once when the message is `filtered`; rejects with
   * the reason when it is lost. Reading this makes the promise: code that does not read it pays nothing and can cause no unhandled
   * rejection.
   */
  readonly delivered: Promise<void>;
  /**
   * With a `journal`: resolves when the message is as safe as `durability` says, or delivered before; rejects with the reason when it
   * is lost before. Without a `journal` it rejects.
   */
  readonly stored: Promise<void>;
  /** True when the message is not sent because a `before` function dropped it or the client is not `enabled`. */
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

  /** Knows how the messages of its batch end. */
  get results(): Results {
    return this.#results;
  }

  /** Its place in the batch, from 0. */
  get index(): number {
    return this.#index;
  }
}

/** A message that never came into a batch: lost with an error, or filtered without one. */
export class UnqueuedReceipt implements Receipt {
  readonly messageId: string;
  readonly #error: EventferryError | undefined;

  constructor(messageId: string, error?: EventferryError) {
    this.messageId = messageId;
    this.#error = error;
  }

  get delivered(): Promise<void> {
    const end = this.#error === undefined ? Promise.resolve() : Promise.reject(this.#error);
    // Whoever reads it of a call that never throws, and waits for it nowhere, is not ended by it either.
    end.catch(() => {});
    return end;
  }

  get stored(): Promise<void> {
    return this.delivered;
  }

  /** Why it was lost. */
  get error(): EventferryError | undefined {
    return this.#error;
  }

  get filtered(): boolean {
    return this.#error === undefined;
  }
}
