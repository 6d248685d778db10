import { type EventferryError, QueueFullError } from '../../base/errors/errors.js';
import { byteLength, HAS_DISK } from '../../base/platform/node.js';
import type { Clock } from '../../base/time/clock.js';
import { Batch, type BatchLimits } from './batch.js';
import type { DiskBacklog } from './disk-backlog.js';
import { Dispatcher } from './dispatcher.js';
import { LiveBatches } from './live-batches.js';
import { Pacer } from './pacer.js';
import type { ErrorOf } from './results.js';
import type { StatsCounter } from './stats.js';

export interface BatcherOptions extends BatchLimits {
  readonly flushAt: number;
  readonly flushAfter: number;
  readonly maxQueueBytes: number;
  readonly concurrency: number;
  readonly clock: Clock;
  readonly counter: StatsCounter;
  newId(): string;
  /** Sends a batch until each of its messages has ended and was settled. Must not reject. */
  send(batch: Batch): Promise<void>;
  /** Called after the messages of a batch from `from` up to, and without, `to` have ended. */
  onEnded(batch: Batch, from: number, to: number, errorOf: ErrorOf | undefined): void;
  /** Called after so many messages were dropped. */
  onDropped(messages: number, error: EventferryError): void;
  /** Whether requests fail. */
  isFailing(): boolean;
  /** Called when a message comes to an empty queue, and when the last one has ended. */
  onBusy(isBusy: boolean): void;
  /** Keeps waiting messages on disk. @default they are in memory alone */
  readonly disk?: DiskBacklog | undefined;
}

const RESOLVED = Promise.resolve();

/**
 * The queue: messages become batches, batches leave in the order of the calls. The next batch grows while as many requests as
 * allowed are being sent, so that one request carries more the busier it gets.
 */
export class Batcher {
  readonly #options: BatcherOptions;
  readonly #counter: StatsCounter;
  readonly #disk: DiskBacklog | undefined;
  readonly #pacer: Pacer;
  readonly #dispatcher: Dispatcher;
  /** Takes messages. There is none until a message comes. */
  #open: Batch | undefined;
  /** Whether the open batch leaves as soon as a request is free. */
  #isDue = false;
  /** Whether every message is due at once. */
  #isHurried = false;
  #cancelTimer: () => void = () => {};
  /** As long as the batch before it was, and a little more: messages of one program are much alike. */
  #expectedBytes = 0;
  readonly #live = new LiveBatches();
  #isBusy = false;

  constructor(options: BatcherOptions) {
    this.#options = options;
    this.#counter = options.counter;
    this.#disk = options.disk;
    this.#pacer = new Pacer({
      // Enough for one full batch to wait behind those that are being sent; more would only take up memory.
      roomBelowBytes: Math.min(options.maxQueueBytes / 2, (options.concurrency + 1) * options.maxBytes),
      bytesPerTurn: options.maxBytes,
      waitingBytes: () => this.#counter.pendingBytes - ((HAS_DISK && this.#disk?.earlierBytes) || 0),
      mayPileUp: () => HAS_DISK && this.#disk !== undefined && options.isFailing() && this.#disk.hasRoom,
      hurry: () => this.#makeDue(),
    });
    this.#dispatcher = new Dispatcher({
      ...options,
      takeOpen: () => this.#takeOpen(),
      onEarlier: (batch) => this.#admit(batch),
      onIdle: () => this.#restIfDone(),
    });
  }

  /**
   * Puts a message at the end of the queue. The receipt of it is its batch and its place there, `batch.count - 1`; undefined
   * when the queue is full, and then nothing has changed.
   */
  add(json: string, isImported = false): Batch | undefined {
    if (this.#isFullFor(json)) {
      if (!HAS_DISK || this.#disk === undefined || this.#open === undefined) return undefined;
      // The open batch may be all that fills the memory: it leaves for the disk.
      this.#seal(this.#open);
      if (this.#isFullFor(json)) return undefined;
    }
    let batch = this.#open ?? this.#openBatch();
    let bytes = batch.add(json);
    if (bytes === undefined) {
      this.#seal(batch);
      batch = this.#openBatch();
      // A new batch holds any one message: limits.ts and options.ts see to that.
      bytes = batch.add(json) ?? 0;
    }
    if (isImported) batch.noteImported();
    this.#counter.accept(bytes);
    this.#pacer.noteAdded(bytes);
    if (HAS_DISK) this.#disk?.noteAdded(batch);
    if (!this.#isBusy) this.#wake();
    if (batch.isFull) this.#seal(batch);
    else if (this.#isHurried || batch.count >= this.#options.flushAt) this.#makeDue();
    return batch;
  }

  /** Why the queue refused the message that came last. */
  fullError(): QueueFullError {
    const { pendingBytes } = this.#counter;
    const ofDisk = HAS_DISK ? this.#disk?.fullError(pendingBytes) : undefined;
    return ofDisk ?? new QueueFullError(this.#memoryBytes, this.#options.maxQueueBytes);
  }

  /** Sends all messages, those that wait and those to come, as soon as a request is free. */
  hurry(): void {
    this.#isHurried = true;
    this.#makeDue();
  }

  /** Lets messages wait for others again. */
  calm(): void {
    this.#isHurried = false;
  }

  /** Resolves when every message that is in the queue now has ended. */
  flush(): Promise<void> {
    const earlier = HAS_DISK ? this.#disk?.earlierSent() : undefined;
    if (HAS_DISK && earlier !== undefined) this.#dispatcher.start();
    if (this.#live.isEmpty) return (HAS_DISK && earlier) || RESOLVED;
    this.#makeDue();
    const own = this.#live.allGone();
    return HAS_DISK && earlier !== undefined ? earlier.then(() => own) : own;
  }

  /** Whether `ready()` resolves at once. */
  get isReady(): boolean {
    return this.#pacer.isReady;
  }

  /** A request has failed: what waits may pile up on the disk. */
  noteFailure(): void {
    this.#pacer.noteRoom();
  }

  /** Resolves when the queue has room. */
  ready(): Promise<void> {
    return this.#pacer.ready();
  }

  /** Messages of earlier processes wait on the disk. */
  sendEarlier(): void {
    if (!this.#isBusy) this.#wake();
    this.#dispatcher.start();
  }

  /** A copy of the message that came last, as JSON, unless it is in this batch. */
  newestOutside(batch: Batch): Uint8Array | undefined {
    const newest = this.#live.toArray().at(-1);
    if (newest === undefined || newest === batch || !newest.isLoaded) return undefined;
    const at = newest.count - 1;
    return newest.dropped.has(at) ? undefined : newest.copyOf(at);
  }

  /** Ends the messages of a batch up to, and without, `to`. Without `errorOf` they were delivered. */
  settle(batch: Batch, to: number, errorOf?: ErrorOf): void {
    const from = batch.results.ended;
    this.#writeOff(batch, from, to, errorOf);
    batch.results.endUpTo(to, errorOf);
    if (HAS_DISK) this.#disk?.noteEnded(batch, from, to, errorOf);
    if (batch.isOver) this.#live.delete(batch);
    this.#pacer.noteRoom();
    this.#restIfDone();
    this.#tellEnded(batch, from, to, errorOf);
    if (errorOf === undefined && batch.wasSentOnce && !(HAS_DISK && this.#disk)) this.#live.keepSpare(batch);
  }

  /** Every batch with a message that has not ended. */
  get live(): Batch[] {
    return this.#live.toArray();
  }

  /** Drops messages of a batch that no request carries now: they are lost, and not sent. */
  drop(batch: Batch, indexes: readonly number[], error: EventferryError): void {
    for (const index of indexes) {
      const bytes = batch.drop(index, error);
      this.#counter.lose(bytes, error.code);
      if (HAS_DISK) this.#disk?.noteDropped(batch, index, bytes);
    }
    if (batch.keptOf(batch.results.ended, batch.count).length === 0) {
      if (batch === this.#open) this.#closeOpen(batch);
      this.settle(batch, batch.count, () => error);
    }
    this.#pacer.noteRoom();
    this.#options.onDropped(indexes.length, error);
  }

  /**
   * Ends everything now: messages that are not delivered are lost, but those in a journal stay there, and `pending`.
   *
   * @param why for those, as a clause
   */
  abandon(error: EventferryError, why = ''): void {
    const errorOfHeld = (HAS_DISK && this.#disk?.errorOfHeld(why)) || error;
    this.#cancelTimer();
    this.#open = undefined;
    this.#dispatcher.clear();
    for (const batch of this.#live.toArray()) this.#abandon(batch, error, errorOfHeld);
    if (HAS_DISK) this.#disk?.release();
    // A `lost` listener may have tracked something meanwhile.
    if (this.#live.isEmpty) this.#rest();
  }

  /** Sends what waits at once, in requests that so many bytes have room for. */
  sendAtOnce(bytes: number): void {
    if (this.#open !== undefined) this.#seal(this.#open);
    this.#dispatcher.sendAtOnce(bytes);
  }

  /** Ends what no request of at most so many bytes carries: it is lost. */
  abandonAllBut(bytes: number, error: EventferryError): void {
    if (this.#open !== undefined) this.#seal(this.#open);
    const waiting = new Set(this.#dispatcher.clear());
    for (const batch of this.#live.toArray()) {
      if (waiting.has(batch) || batch.bytes > bytes) this.#abandon(batch, error, error);
    }
  }

  /** The same, and sends no more messages of earlier processes. */
  close(error: EventferryError, why: string): void {
    this.#dispatcher.close();
    this.abandon(error, why);
  }

  #abandon(batch: Batch, error: EventferryError, errorOfHeld: EventferryError): void {
    const held = (HAS_DISK && this.#disk?.heldOf(batch)) || 0;
    if (!HAS_DISK || held === 0) {
      const gone = (HAS_DISK && this.#disk?.errorOfGone(batch)) || error;
      this.settle(batch, batch.count, () => gone);
      return;
    }
    const from = Math.max(held, batch.results.ended);
    const errorOf: ErrorOf = (index) => (index < held ? errorOfHeld : error);
    this.#writeOff(batch, from, batch.count, errorOf);
    batch.results.endUpTo(batch.count, errorOf);
    this.#live.delete(batch);
    if (from < batch.count) this.#tellEnded(batch, from, batch.count, errorOf);
  }

  /** A batch of an earlier process was read: the counter has its messages already. */
  #admit(batch: Batch): void {
    this.#live.add(batch);
    if (!this.#isBusy) this.#wake();
  }

  #isFullFor(json: string): boolean {
    const room = this.#options.maxQueueBytes - this.#memoryBytes;
    // Counting is only worth it near the limit; a UTF-16 code unit is at most three bytes.
    if (json.length * 3 > room && byteLength(json) > room) return true;
    return HAS_DISK && this.#disk !== undefined && !this.#disk.hasRoomFor(json);
  }

  get #memoryBytes(): number {
    return this.#counter.pendingBytes - ((HAS_DISK && this.#disk?.bytes) || 0);
  }

  #openBatch(): Batch {
    const { newId, clock, flushAfter } = this.#options;
    const batch = new Batch(newId(), this.#options, this.#expectedBytes, this.#live.takeSpare());
    this.#open = batch;
    this.#isDue = false;
    this.#live.add(batch);
    this.#cancelTimer = clock.after(flushAfter, () => this.#makeDue());
    return batch;
  }

  #seal(batch: Batch): void {
    this.#closeOpen(batch);
    if (!this.#unload(batch)) batch.trim();
    this.#dispatcher.push(batch);
  }

  /** With a journal, no more than half of what may be in memory waits there. */
  #unload(batch: Batch): boolean {
    if (!HAS_DISK || this.#disk === undefined || this.#memoryBytes <= this.#options.maxQueueBytes / 2) return false;
    return this.#disk.unload(batch);
  }

  #closeOpen(batch: Batch): void {
    this.#cancelTimer();
    this.#open = undefined;
    this.#expectedBytes = batch.bytes * 1.1;
  }

  #makeDue(): void {
    this.#isDue = true;
    this.#dispatcher.start();
  }

  #takeOpen(): Batch | undefined {
    const batch = this.#open;
    if (batch === undefined || !this.#isDue) return undefined;
    this.#closeOpen(batch);
    return batch;
  }

  /** Tells of those that were not dropped, and so told before. */
  #tellEnded(batch: Batch, from: number, to: number, errorOf: ErrorOf | undefined): void {
    const { onEnded } = this.#options;
    let start = from;
    for (let index = from; index < to && batch.dropped.size > 0; index++) {
      if (!batch.dropped.has(index)) continue;
      if (start < index) onEnded(batch, start, index, errorOf);
      start = index + 1;
    }
    if (start < to) onEnded(batch, start, to, errorOf);
  }

  #writeOff(batch: Batch, from: number, to: number, errorOf: ErrorOf | undefined): void {
    if (errorOf === undefined && batch.dropped.size === 0) {
      this.#counter.deliver(to - from, batch.bytesOf(from, to));
      return;
    }
    for (let index = from; index < to; index++) {
      if (batch.dropped.has(index)) continue;
      const bytes = batch.bytesOf(index, index + 1);
      const error = errorOf?.(index);
      if (error === undefined) this.#counter.deliver(1, bytes);
      else this.#counter.lose(bytes, error.code);
    }
  }

  #wake(): void {
    this.#isBusy = true;
    this.#options.onBusy(true);
  }

  #restIfDone(): void {
    if (this.#live.isEmpty && !(HAS_DISK && this.#disk?.hasEarlier)) this.#rest();
  }

  #rest(): void {
    if (!this.#isBusy) return;
    this.#isBusy = false;
    this.#options.onBusy(false);
  }
}
