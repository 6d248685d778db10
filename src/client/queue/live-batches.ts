import type { EventferryError } from '../../base/errors/errors.js';
import type { Batch } from './batch.js';
import type { DiskBacklog } from './disk-backlog.js';
import type { ErrorOf } from './receipt.js';
import type { StatsCounter } from './stats.js';

export interface LiveBatchesOptions {
  readonly counter: StatsCounter;
  readonly reporter: EndReporter;
  /** Keeps waiting messages on disk. @default they are only in memory */
  readonly disk?: DiskBacklog | undefined;
  /** Notified before anything else that messages have ended. */
  readonly queue: { noteRoom(): void };
}

/** The part of the reporter that is told how messages end. */
export interface EndReporter {
  /** Called when the messages of a batch from `from` up to but not including `to` have ended. */
  ended(batch: Batch, from: number, to: number, errorOf: ErrorOf | undefined): void;
}

/** All batches with a message that has not ended. Ends messages, and lets callers wait for that. */
export class LiveBatches {
  readonly #options: LiveBatchesOptions;
  readonly #batches = new Set<Batch>();
  /** The callers that wait, each with the batches that are not gone yet. */
  readonly #waiters = new Map<Set<Batch>, () => void>();
  /** A batch that has ended, kept for its memory while others are live. */
  #spare: Batch | undefined;

  constructor(options: LiveBatchesOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#batches.size === 0;
  }

  add(batch: Batch): void {
    this.#batches.add(batch);
  }

  /** Returns a copy in the order in which the batches were added. */
  toArray(): Batch[] {
    return [...this.#batches];
  }

  /** Resolves when every batch that is present now is gone. */
  allGone(): Promise<void> {
    return new Promise((resolve) => this.#waiters.set(new Set(this.#batches), resolve));
  }

  /** Returns a copy of the newest message as JSON, unless it is in this batch. */
  newestOutside(batch: Batch): Uint8Array | undefined {
    const newest = this.toArray().at(-1);
    if (newest === undefined || newest === batch || !newest.isLoaded) return undefined;
    const at = newest.count - 1;
    return newest.dropped.has(at) ? undefined : newest.copyOf(at);
  }

  /** Ends the messages of a batch before `to`. Without `errorOf` they were delivered. */
  settle(batch: Batch, to: number, errorOf?: ErrorOf): void {
    const { disk, queue } = this.#options;
    const from = batch.results.ended;
    this.#writeOff(batch, from, to, errorOf);
    batch.results.endUpTo(to, errorOf);
    disk?.noteEnded(batch, from, to, errorOf);
    const { isOver } = batch;
    if (isOver) this.#delete(batch);
    queue.noteRoom();
    this.#tellEnded(batch, from, to, errorOf);
    // Memory fresh from the system costs more than filling it. But it can only be reused if a request without a response, or a
    // message that is still to be sent will not read from it. A journal does not read a batch that has ended.
    const isRead = errorOf !== undefined || !batch.wasSentOnce || !isOver;
    if (!isRead && !this.isEmpty) this.#spare = batch;
  }

  /** Drops messages of a batch that no request carries now: they are lost and will not be sent. If none is left, the batch ends. */
  drop(batch: Batch, indexes: readonly number[], error: EventferryError): void {
    const { counter, disk } = this.#options;
    for (const index of indexes) {
      const bytes = batch.drop(index, error);
      counter.lose(bytes, error.code);
      disk?.noteDropped(batch, index, bytes);
    }
    if (batch.isDropped(batch.results.ended, batch.count)) this.settle(batch, batch.count, () => error);
  }

  /** Ends the undelivered messages of a batch: they are lost, except those that a journal holds, which stay `pending`. */
  abandon(batch: Batch, error: EventferryError, errorOfHeld = error): void {
    const { disk } = this.#options;
    const held = disk?.journal.heldOf(batch) ?? 0;
    if (held === 0) {
      const gone = disk?.errorOfGone(batch) ?? error;
      this.settle(batch, batch.count, () => gone);
      return;
    }
    const from = Math.max(held, batch.results.ended);
    const errorOf: ErrorOf = (index) => (index < held ? errorOfHeld : error);
    this.#writeOff(batch, from, batch.count, errorOf);
    // The messages that stay must not count as ended when the journal records the lost ones.
    if (from < batch.count) disk?.noteEnded(batch, from, batch.count, errorOf);
    batch.results.endUpTo(batch.count, errorOf);
    this.#delete(batch);
    if (from < batch.count) this.#tellEnded(batch, from, batch.count, errorOf);
  }

  /** Takes a batch that has ended, so that the next one can use its memory. */
  takeSpare(): Batch | undefined {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare;
  }

  #delete(batch: Batch): void {
    this.#batches.delete(batch);
    if (this.isEmpty) this.#spare = undefined;
    for (const [left, resolve] of this.#waiters) {
      left.delete(batch);
      if (left.size > 0) continue;
      this.#waiters.delete(left);
      resolve();
    }
  }

  #writeOff(batch: Batch, from: number, to: number, errorOf: ErrorOf | undefined): void {
    const { counter } = this.#options;
    if (errorOf === undefined && batch.dropped.size === 0) {
      counter.deliver(to - from, batch.bytesOf(from, to));
      return;
    }
    for (let index = from; index < to; index++) {
      if (batch.dropped.has(index)) continue;
      const bytes = batch.bytesOf(index, index + 1);
      const error = errorOf?.(index);
      if (error === undefined) counter.deliver(1, bytes);
      else counter.lose(bytes, error.code);
    }
  }

  /** Reports the ended messages, except dropped ones, which were reported before. */
  #tellEnded(batch: Batch, from: number, to: number, errorOf: ErrorOf | undefined): void {
    const { reporter } = this.#options;
    let start = from;
    for (let index = from; index < to && batch.dropped.size > 0; index++) {
      if (!batch.dropped.has(index)) continue;
      if (start < index) reporter.ended(batch, start, index, errorOf);
      start = index + 1;
    }
    if (start < to) reporter.ended(batch, start, to, errorOf);
  }
}
