import type { Batch } from './batch.js';

interface Waiter {
  readonly waitsFor: Set<Batch>;
  resolve(): void;
}

/** Every batch with a message that has not ended, and the callers that wait for their end. */
export class LiveBatches {
  readonly #batches = new Set<Batch>();
  #waiters: Waiter[] = [];

  get isEmpty(): boolean {
    return this.#batches.size === 0;
  }

  add(batch: Batch): void {
    this.#batches.add(batch);
  }

  delete(batch: Batch): void {
    this.#batches.delete(batch);
    if (this.#waiters.length === 0) return;
    for (const { waitsFor } of this.#waiters) waitsFor.delete(batch);
    const done = this.#waiters.filter(({ waitsFor }) => waitsFor.size === 0);
    this.#waiters = this.#waiters.filter(({ waitsFor }) => waitsFor.size > 0);
    for (const { resolve } of done) resolve();
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
