import type { EventferryError } from '../../base/errors/errors.js';
import type { Batch } from '../queue/batch.js';

interface Waiter {
  readonly batch: Batch;
  readonly index: number;
  resolve(): void;
  reject(error: EventferryError): void;
}

/** The callers that wait until their messages are stored. */
export class StoredWaiters {
  readonly #flush: (() => Promise<void>) | undefined;
  readonly #onError: (error: unknown) => void;
  /** Their messages may not have been handed to the operating system. */
  #unwritten: Waiter[] = [];
  /** Their messages were, and have yet to reach the disk. */
  #unflushed: Waiter[] = [];
  #flushing: Promise<void> | undefined;

  /**
   * @param flush resolves when the disk has all that was written before; undefined where a write is enough
   * @param onError gets the error with which `flush` rejects; the callers go on waiting
   */
  constructor(flush: (() => Promise<void>) | undefined, onError: (error: unknown) => void) {
    this.#flush = flush;
    this.#onError = onError;
  }

  /** True when no caller waits for a write. */
  get isEmpty(): boolean {
    return this.#unwritten.length === 0;
  }

  /** Resolves when a message is stored, or delivered before; rejects when it is lost before. */
  wait(batch: Batch, index: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#unwritten.push({ batch, index, resolve, reject });
      if (batch.results.hasEnded(index)) this.noteEnded();
    });
  }

  /** The operating system has every message that was accepted so far. */
  noteWritten(): void {
    // A write leaves out what has ended before it: that may be lost, and is not stored.
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

  /** Some messages have ended: their callers need not wait any longer. */
  noteEnded(): void {
    this.#unwritten = this.#unwritten.filter(isStillOpen);
    this.#unflushed = this.#unflushed.filter(isStillOpen);
  }

  /** Resolves when no flush runs. */
  async idle(): Promise<void> {
    await this.#flushing;
  }

  /** Flushes one at a time: a caller that comes while a flush runs waits for the next. */
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
      // A message that was lost while the flush ran was lost before it was stored.
      for (const waiter of waiters) if (isStillOpen(waiter)) waiter.resolve();
    }
  }
}

/** Says whether the message still waits. If it has ended, its caller is told. */
function isStillOpen({ batch, index, resolve, reject }: Waiter): boolean {
  if (!batch.results.hasEnded(index)) return true;
  const error = batch.results.lossOf(index);
  // A message that is left in the journal is stored.
  if (error === undefined || error.code === 'EVENTFERRY_LEFT_IN_JOURNAL') resolve();
  else reject(error);
  return false;
}
