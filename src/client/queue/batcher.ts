import { type EventferryError, QueueFullError } from '../../base/errors/errors.js';
import { byteLength } from '../../base/platform/node.js';
import type { Clock } from '../../base/time/clock.js';
import type { BatchSender } from '../transport/batch-sender.js';
import { Batch, type BatchLimits } from './batch.js';
import { BatchDelivery, type BatchDeliveryOptions, type DeliveryReporter } from './batch-delivery.js';
import type { DiskBacklog } from './disk-backlog.js';
import { BatchDispatcher } from './dispatcher.js';
import { type EndReporter, LiveBatches } from './live-batches.js';
import { Pacer } from './pacer.js';
import type { StatsCounter } from './stats.js';

export interface BatcherOptions extends BatchLimits, Pick<BatchDeliveryOptions, 'journal' | 'takeApart'> {
  readonly flushAt: number;
  readonly flushAfter: number;
  readonly maxQueueBytes: number;
  readonly concurrency: number;
  readonly clock: Clock;
  readonly counter: StatsCounter;
  readonly sender: Pick<BatchSender, 'begin' | 'lastFailure'>;
  readonly reporter: EndReporter & DeliveryReporter & { forgotten(messages: number, error: EventferryError): void };
  newId(): string;
  /** Called with `ending` when a message enters an empty queue. */
  occupy(ending: object | undefined): void;
  /** Called with `ending` when the last message has ended. */
  vacate(ending: object | undefined): void;
  /** Keeps waiting messages on disk. @default they are only in memory */
  readonly disk?: DiskBacklog | undefined;
}

const RESOLVED = Promise.resolve();

/**
 * The queue: messages become batches, and batches leave in the order of the calls. While the allowed number of requests is being
 * sent, the next batch grows, so a busier client sends larger requests.
 */
export class Batcher {
  /** Delivers the batches that leave the queue. */
  readonly delivery: BatchDelivery;
  /** Acts for the queue if the process ends while it has messages. */
  ending: object | undefined;
  readonly #options: BatcherOptions;
  readonly #counter: StatsCounter;
  readonly #disk: DiskBacklog | undefined;
  /** Created when a caller first waits for room. */
  #pacer: Pacer | undefined;
  readonly #live: LiveBatches;
  readonly #dispatcher: BatchDispatcher;
  /** The batch that accepts messages. Undefined until a message comes. */
  #open: Batch | undefined;
  /** True if the open batch should leave as soon as a request is free. */
  #isDue = false;
  /** True while every message should be sent without delay. */
  #isHurried = false;
  #cancelTimer: () => void = () => {};
  /** A little more than the size of the previous batch, because the messages of one program are similar. */
  #expectedBytes = 0;
  #isBusy = false;

  constructor(options: BatcherOptions) {
    this.#options = options;
    this.#counter = options.counter;
    this.#disk = options.disk;
    this.#live = new LiveBatches({ ...options, queue: this });
    this.delivery = new BatchDelivery({ ...options, live: this.#live, queue: this });
    this.#dispatcher = new BatchDispatcher({ ...options, delivery: this.delivery, queue: this });
  }

  /**
   * Appends a message to the queue. Its place is the end of the returned batch, `batch.count - 1`. Returns undefined if the queue
   * is full; then nothing has changed.
   */
  add(json: string, isImported = false): Batch | undefined {
    if (this.#isFullFor(json)) {
      if (this.#disk === undefined || this.#open === undefined) return undefined;
      // The open batch may be all that fills the memory, so it is closed and moves to the disk.
      this.#seal(this.#open);
      if (this.#isFullFor(json)) return undefined;
    }
    let batch = this.#open ?? this.#openBatch();
    let bytes = batch.add(json);
    if (bytes === undefined) {
      this.#seal(batch);
      batch = this.#openBatch();
      // A new batch can hold any single message: limits.ts and analytics-options.ts ensure that.
      bytes = batch.add(json) ?? 0;
    }
    if (isImported) batch.noteImported();
    this.#counter.accept(bytes);
    this.#pacer?.noteAdded(bytes);
    this.#disk?.journal.noteAdded(batch);
    if (!this.#isBusy) this.#wake();
    if (batch.isFull) this.#seal(batch);
    else if (this.#isHurried || batch.count >= this.#options.flushAt) this.#makeDue();
    else if (batch.count === 1) this.#makeDueLater();
    return batch;
  }

  /** Returns the error for the message that the queue has just refused. */
  fullError(): QueueFullError {
    const ofDisk = this.#disk?.fullError(this.#counter.pendingBytes);
    return ofDisk ?? new QueueFullError(this.#memoryBytes, this.#options.maxQueueBytes);
  }

  /** Sends all messages, present and future, as soon as a request is free. */
  hurry(): void {
    this.#isHurried = true;
    this.#makeDue();
  }

  /** Resolves when every message that is in the queue now has ended. */
  flush(): Promise<void> {
    const earlier = this.#disk?.earlierSent();
    if (earlier !== undefined) this.#dispatcher.start();
    if (this.#live.isEmpty) return earlier ?? RESOLVED;
    this.#makeDue();
    const own = this.#live.allGone();
    return earlier === undefined ? own : earlier.then(() => own);
  }

  /** Slows callers down to the speed at which messages can be sent. */
  get pacer(): Pacer {
    const { sender, disk, maxQueueBytes, concurrency, maxBytes } = this.#options;
    this.#pacer ??= new Pacer({
      // One full batch may wait behind those that are being sent; more would only use memory.
      roomBelowBytes: Math.min(maxQueueBytes / 2, (concurrency + 1) * maxBytes),
      bytesPerTurn: maxBytes,
      waitingBytes: () => this.#counter.pendingBytes - (disk?.earlierBytes ?? 0),
      // A closed client never has room again and refuses the next call, so nobody waits for room.
      mayPileUp: () => this.#dispatcher.isClosed || (sender.lastFailure !== undefined && disk?.hasRoom === true),
      hurry: () => this.#makeDue(),
    });
    return this.#pacer;
  }

  /** Starts sending messages of earlier processes that wait on the disk. */
  sendEarlier(): void {
    if (!this.#isBusy) this.#wake();
    this.#dispatcher.start();
  }

  /** All batches with a message that has not ended. */
  get live(): Batch[] {
    return this.#live.toArray();
  }

  /** Drops messages of a batch that no request carries now: they are lost and will not be sent. */
  drop(batch: Batch, indexes: readonly number[], error: EventferryError): void {
    this.#live.drop(batch, indexes, error);
    if (batch === this.#open && batch.isOver) this.#closeOpen(batch);
    this.#pacer?.noteRoom();
    this.#options.reporter.forgotten(indexes.length, error);
  }

  /**
   * Ends everything now: undelivered messages are lost, except that those in a journal stay there and remain `pending`.
   *
   * @param why the reason for messages in a journal, as a clause
   */
  abandon(error: EventferryError, why = ''): void {
    const errorOfHeld = this.#disk?.errorOfHeld(why);
    this.#cancelTimer();
    this.#open = undefined;
    this.#dispatcher.clear();
    for (const batch of this.#live.toArray()) this.#live.abandon(batch, error, errorOfHeld);
    this.#disk?.release();
    // A `lost` listener may have tracked a message meanwhile.
    if (this.#live.isEmpty) this.#rest();
  }

  /** Like `abandon`, and also stops sending messages of earlier processes. */
  close(error: EventferryError, why: string): void {
    this.#dispatcher.isClosed = true;
    this.abandon(error, why);
    this.#pacer?.noteRoom();
  }

  /** Sends waiting messages at once, in requests of at most `bytes` bytes in total. */
  sendAtOnce(bytes: number): void {
    if (this.#open !== undefined) this.#seal(this.#open);
    this.#dispatcher.sendAtOnce(bytes);
  }

  /** Loses the messages that do not fit in requests of at most `bytes` bytes in total. */
  abandonAllBut(bytes: number, error: EventferryError): void {
    if (this.#open !== undefined) this.#seal(this.#open);
    const waiting = new Set(this.#dispatcher.clear());
    for (const batch of this.#live.toArray()) {
      if (waiting.has(batch) || batch.bytes > bytes) this.#live.abandon(batch, error);
    }
  }

  /** Adds a batch of an earlier process that was read and is sent next. Its messages were counted when they were found. */
  admit(batch: Batch): void {
    this.#live.add(batch);
    if (!this.#isBusy) this.#wake();
  }

  #isFullFor(json: string): boolean {
    const room = this.#options.maxQueueBytes - this.#memoryBytes;
    // Counting is only worthwhile near the limit; a UTF-16 code unit takes at most three bytes.
    if (json.length * 3 > room && byteLength(json) > room + (this.#disk?.takenBytes ?? 0)) return true;
    return this.#disk?.hasRoomFor(json) === false;
  }

  get #memoryBytes(): number {
    return this.#counter.pendingBytes - (this.#disk?.bytes ?? 0);
  }

  #openBatch(): Batch {
    const batch = new Batch(this.#options.newId(), this.#options, this.#expectedBytes, this.#live.takeSpare());
    this.#open = batch;
    this.#isDue = false;
    this.#live.add(batch);
    return batch;
  }

  #seal(batch: Batch): void {
    this.#closeOpen(batch);
    // With a journal, at most half of the allowed memory holds waiting messages.
    const isLong = this.#memoryBytes > this.#options.maxQueueBytes / 2;
    if (!(isLong && this.#disk?.unload(batch))) batch.trim();
    this.#dispatcher.push(batch);
  }

  #closeOpen(batch: Batch): void {
    this.#cancelTimer();
    this.#open = undefined;
    this.#expectedBytes = batch.bytes * 1.1;
  }

  #makeDueLater(): void {
    const { clock, flushAfter } = this.#options;
    this.#cancelTimer = clock.after(flushAfter, () => this.#makeDue());
  }

  #makeDue(): void {
    this.#isDue = true;
    this.#dispatcher.start();
  }

  /** Takes the open batch if it should leave now. */
  takeOpen(): Batch | undefined {
    const batch = this.#open;
    if (batch === undefined || !this.#isDue) return undefined;
    this.#closeOpen(batch);
    return batch;
  }

  /** Called when there may be more room than before. */
  noteRoom(): void {
    this.#pacer?.noteRoom();
    this.restIfDone();
  }

  /** Releases resources when no message waits or is being sent. */
  restIfDone(): void {
    if (this.#live.isEmpty && !this.#disk?.journal.hasMore) this.#rest();
  }

  #wake(): void {
    this.#isBusy = true;
    this.#options.occupy(this.ending);
  }

  #rest(): void {
    if (!this.#isBusy) return;
    this.#isBusy = false;
    this.#options.vacate(this.ending);
  }
}
