import { type EventferryError, QueueFullError } from '../../base/errors/errors.js';
import { byteLength } from '../../base/platform/node.js';
import type { Clock } from '../../base/time/clock.js';
import type { BatchSender } from '../transport/batch-sender.js';
import { Batch, type BatchLimits } from './batch.js';
import { BatchDelivery, type BatchDeliveryOptions, type DeliveryReporter } from './batch-delivery.js';
import type { DiskBacklog } from './disk-backlog.js';
import { Dispatcher } from './dispatcher.js';
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
  /** Called with `ending` when a message comes to an empty queue. */
  occupy(ending: object | undefined): void;
  /** Called with it when the last one has ended. */
  vacate(ending: object | undefined): void;
  /** Keeps waiting messages on disk. @default they are in memory alone */
  readonly disk?: DiskBacklog | undefined;
}

const RESOLVED = Promise.resolve();

/**
 * The queue: messages become batches, batches leave in the order of the calls. The next batch grows while as many requests as
 * allowed are being sent, so that one request carries more the busier it gets.
 */
export class Batcher {
  /** Brings to its end what leaves the queue. */
  readonly delivery: BatchDelivery;
  /** Acts for the queue when the process ends while it has messages. */
  ending: object | undefined;
  readonly #options: BatcherOptions;
  readonly #counter: StatsCounter;
  readonly #disk: DiskBacklog | undefined;
  /** There is one as soon as somebody asks for room. */
  #pacer: Pacer | undefined;
  readonly #live: LiveBatches;
  readonly #dispatcher: Dispatcher;
  /** Takes messages. There is none until a message comes. */
  #open: Batch | undefined;
  /** True when the open batch leaves as soon as a request is free. */
  #isDue = false;
  /** True while every message is due at once. */
  #isHurried = false;
  #cancelTimer: () => void = () => {};
  /** A little more than the size of the batch before, because the messages of one program are much alike. */
  #expectedBytes = 0;
  #isBusy = false;

  constructor(options: BatcherOptions) {
    this.#options = options;
    this.#counter = options.counter;
    this.#disk = options.disk;
    this.#live = new LiveBatches({ ...options, queue: this });
    this.delivery = new BatchDelivery({ ...options, live: this.#live, queue: this });
    this.#dispatcher = new Dispatcher({ ...options, delivery: this.delivery, queue: this });
  }

  /**
   * Puts a message at the end of the queue. The receipt of it is its batch and its place there, `batch.count - 1`; undefined
   * when the queue is full, and then nothing has changed.
   */
  add(json: string, isImported = false): Batch | undefined {
    if (this.#isFullFor(json)) {
      if (this.#disk === undefined || this.#open === undefined) return undefined;
      // The open batch may be all that fills the memory: it leaves for the disk.
      this.#seal(this.#open);
      if (this.#isFullFor(json)) return undefined;
    }
    let batch = this.#open ?? this.#openBatch();
    let bytes = batch.add(json);
    if (bytes === undefined) {
      this.#seal(batch);
      batch = this.#openBatch();
      // A new batch holds any one message: limits.ts and analytics-options.ts see to that.
      bytes = batch.add(json) ?? 0;
    }
    if (isImported) batch.noteImported();
    this.#counter.accept(bytes);
    this.#pacer?.noteAdded(bytes);
    this.#disk?.noteAdded(batch);
    if (!this.#isBusy) this.#wake();
    if (batch.isFull) this.#seal(batch);
    else if (this.#isHurried || batch.count >= this.#options.flushAt) this.#makeDue();
    else if (batch.count === 1) this.#makeDueLater();
    return batch;
  }

  /** Why the queue refused the message that came last. */
  fullError(): QueueFullError {
    const ofDisk = this.#disk?.fullError(this.#counter.pendingBytes);
    return ofDisk ?? new QueueFullError(this.#memoryBytes, this.#options.maxQueueBytes);
  }

  /** Sends all messages, those that wait and those to come, as soon as a request is free. */
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

  /** Slows down callers to what can be sent. */
  get pacer(): Pacer {
    const { sender, disk, maxQueueBytes, concurrency, maxBytes } = this.#options;
    this.#pacer ??= new Pacer({
      // Enough for one full batch to wait behind those that are being sent; more would only take up memory.
      roomBelowBytes: Math.min(maxQueueBytes / 2, (concurrency + 1) * maxBytes),
      bytesPerTurn: maxBytes,
      waitingBytes: () => this.#counter.pendingBytes - (disk?.earlierBytes ?? 0),
      // A closed client makes no room any more, and refuses the next call: nobody waits for it.
      mayPileUp: () => this.#dispatcher.isClosed || (sender.lastFailure !== undefined && disk?.hasRoom === true),
      hurry: () => this.#makeDue(),
    });
    return this.#pacer;
  }

  /** Messages of earlier processes wait on the disk. */
  sendEarlier(): void {
    if (!this.#isBusy) this.#wake();
    this.#dispatcher.start();
  }

  /** Every batch with a message that has not ended. */
  get live(): Batch[] {
    return this.#live.toArray();
  }

  /** Drops messages of a batch that no request carries now: they are lost, and not sent. */
  drop(batch: Batch, indexes: readonly number[], error: EventferryError): void {
    if (this.#live.drop(batch, indexes, error)) {
      if (batch === this.#open) this.#closeOpen(batch);
      this.#live.settle(batch, batch.count, () => error);
    }
    this.#pacer?.noteRoom();
    this.#options.reporter.forgotten(indexes.length, error);
  }

  /**
   * Ends everything now: messages that are not delivered are lost, but those in a journal stay there, and `pending`.
   *
   * @param why for those, as a clause
   */
  abandon(error: EventferryError, why = ''): void {
    const errorOfHeld = this.#disk?.errorOfHeld(why);
    this.#cancelTimer();
    this.#open = undefined;
    this.#dispatcher.clear();
    for (const batch of this.#live.toArray()) this.#live.abandon(batch, error, errorOfHeld);
    this.#disk?.release();
    // A `lost` listener may have tracked something meanwhile.
    if (this.#live.isEmpty) this.#rest();
  }

  /** The same, and sends no more messages of earlier processes. */
  close(error: EventferryError, why: string): void {
    this.#dispatcher.close();
    this.abandon(error, why);
    this.#pacer?.noteRoom();
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
      if (waiting.has(batch) || batch.bytes > bytes) this.#live.abandon(batch, error);
    }
  }

  /** A batch of an earlier process was read, and is sent next: the counter has its messages already. */
  admit(batch: Batch): void {
    this.#live.add(batch);
    if (!this.#isBusy) this.#wake();
  }

  #isFullFor(json: string): boolean {
    const room = this.#options.maxQueueBytes - this.#memoryBytes;
    // Counting is only worth it near the limit; a UTF-16 code unit is at most three bytes.
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
    // With a journal, no more than half of what may be in memory waits there.
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

  /** The batch that takes messages, if it should leave now. */
  takeOpen(): Batch | undefined {
    const batch = this.#open;
    if (batch === undefined || !this.#isDue) return undefined;
    this.#closeOpen(batch);
    return batch;
  }

  /** There may be more room than before. */
  noteRoom(): void {
    this.#pacer?.noteRoom();
    this.restIfDone();
  }

  /** Rests when no message waits and none is on its way. */
  restIfDone(): void {
    if (this.#live.isEmpty && !this.#disk?.hasEarlier) this.#rest();
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
