import type { Batch } from './batch.js';

interface Waiter {
  readonly waitsFor: Set<Batch>;
  resolve(): void;
}

/** Every batch with a message that has not ended, and the callers that wait for their end. */
export class LiveBatches {
  readonly #batches = new Set<Batch>();
  #waiters: Waiter[] = [];
  #spare: Batch | undefined;

  get isEmpty(): boolean {
    return this.#batches.size === 0;
  }

  add(batch: Batch): void {
    this.#batches.add(batch);
  }

  delete(batch: Batch): void {
    this.#batches.delete(batch);
    if (this.isEmpty) this.#spare = undefined;
    if (this.#waiters.length === 0) return;
    for (const { waitsFor } of this.#waiters) waitsFor.delete(batch);
    const done = this.#waiters.filter(({ waitsFor }) => waitsFor.size === 0);
    this.#waiters = this.#waiters.filter(({ waitsFor }) => waitsFor.size > 0);
    for (const { resolve } of done) resolve();
  }

  /**
   * Keeps a batch that has ended for its memory, until none is live: memory fresh from the system costs more than to fill it. Neither
   * a journal nor a request without an answer may still read from it.
   */
  keepSpare(batch: Batch): void {
    if (!this.isEmpty) this.#spare = batch;
  }

  /** The batch that was kept. */
  takeSpare(): Batch | undefined {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare;
  }

  /** A copy, in the order in which they were added. */
  toArray(): Batch[] {
    return [...this.#batches];
  }

  /** Resolves when every batch that is here now is gone. */
  allGone(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push({ waitsFor: new Set(this.#batches), resolve }));
  }
}
