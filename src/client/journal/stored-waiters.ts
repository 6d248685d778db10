import type { EventferryError } from '../../base/errors/errors.js';
import type { Batch } from '../queue/batch.js';

interface StoredWaiter {
  readonly batch: Batch;
  readonly index: number;
  resolve(): void;
  reject(error: EventferryError): void;
}

/** Resolves the callers that wait until their messages are stored. */
export class StoredWaiters {
  readonly #flush: (() => Promise<void>) | undefined;
  readonly #onError: (error: unknown) => void;
  /** Callers whose messages may not have been handed to the operating system yet. */
  #unwritten: StoredWaiter[] = [];
  /** Callers whose messages were handed over, and have yet to reach the disk. */
  #unflushed: StoredWaiter[] = [];
  #flushing: Promise<void> | undefined;

  /**
   * @param flush resolves when everything written before is on the disk; undefined if a write is enough
   * @param onError called with the error with which `flush` rejects; the callers continue to wait
   */
  constructor(flush: (() => Promise<void>) | undefined, onError: (error: unknown) => void) {
    this.#flush = flush;
    this.#onError = onError;
  }

  /** True when no caller waits for a write. */
  get isEmpty(): boolean {
    return this.#unwritten.length === 0;
  }

  /** Resolves when a message is stored or delivered. Rejects if it is lost before that. */
  wait(batch: Batch, index: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#unwritten.push({ batch, index, resolve, reject });
      if (batch.results.hasEnded(index)) this.noteEnded();
    });
  }

  /** Notes that the operating system has every message accepted so far. */
  noteWritten(): void {
    // A write leaves out messages that ended before it. They may be lost, so they do not count as stored.
    const written = this.#unwritten.splice(0).filter(isStillOpen);
    if (this.#flush === undefined) {
      for (const { resolve } of written) resolve();
      return;
    }
    this.#unflushed.push(...written);
    if (this.#unflushed.length === 0) return;
    this.#flushing ??= this.#flushAll(this.#flush).finally(() => {
      this.#flushing = undefined;
    });
  }

  /** Settles the callers whose messages have ended. */
  noteEnded(): void {
    this.#unwritten = this.#unwritten.filter(isStillOpen);
    this.#unflushed = this.#unflushed.filter(isStillOpen);
  }

  /** Resolves when no flush is running. */
  async idle(): Promise<void> {
    await this.#flushing;
  }

  /** Runs one flush at a time. A caller that comes during a flush waits for the next one. */
  async #flushAll(flush: () => Promise<void>): Promise<void> {
    while (this.#unflushed.length > 0) {
      const waiters = this.#unflushed;
      this.#unflushed = [];
      try {
        await flush();
      } catch (error) {
        this.#unflushed = [...waiters.filter(isStillOpen), ...this.#unflushed];
        this.#onError(error);
        return;
      }
      // A message that was lost during the flush was never stored, so its caller was rejected.
      for (const waiter of waiters) if (isStillOpen(waiter)) waiter.resolve();
    }
  }
}

/** Tells whether the message has not ended. If it has, this settles its caller. */
function isStillOpen({ batch, index, resolve, reject }: StoredWaiter): boolean {
  if (!batch.results.hasEnded(index)) return true;
  const error = batch.results.lossOf(index);
  // A message that is left in the journal is stored.
  if (error === undefined || error.code === 'EVENTFERRY_LEFT_IN_JOURNAL') resolve();
  else reject(error);
  return false;
}
