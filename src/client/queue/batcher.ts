import type { Clock } from '../../clock.js';
import type { EventferryError } from '../../errors.js';
import { Fifo } from '../../fifo.js';
import { Batch, type BatchLimits } from './batch.js';
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
  /** Told after the messages of a batch from `from` up to, and without, `to` have ended. */
  onEnded(batch: Batch, from: number, to: number, errorOf: ErrorOf | undefined): void;
  /** Told when a message comes to an empty queue, and when the last one has ended. */
  onBusy(isBusy: boolean): void;
  /** Keeps what waits on disk. @default what waits is in memory alone */
  readonly journal?: BatchJournal | undefined;
}

/** What a journal does for the queue. */
export interface BatchJournal {
  /** Whether so many bytes more may be written. */
  hasRoomFor(bytes: number): boolean;
  /** A message came to the end of this batch. */
  noteAdded(batch: Batch): void;
  /** The messages of a batch from `from` up to, and without, `to` have ended. */
  noteEnded(batch: Batch, from: number, to: number, errorOf: ErrorOf | undefined): void;
  /** Whether a batch may leave the memory until it is sent. */
  mayUnload(batch: Batch): boolean;
  /** How many messages of a batch, from the first, stay for the next process. */
  heldOf(batch: Batch): number;
  /** Whether there may be batches of earlier processes, which are sent first. */
  readonly hasMore: boolean;
  /** The next of them. */
  next(): Promise<Batch | undefined>;
}

interface Flush {
  readonly waitsFor: Set<Batch>;
  resolve(): void;
}

const RESOLVED = Promise.resolve();

/**
 * The queue: messages become batches, batches leave in the order of the calls. While as many requests as allowed are under
 * way the next batch grows, so that one request carries more the busier it gets.
 */
export class Batcher {
  readonly #options: BatcherOptions;
  readonly #counter: StatsCounter;
  readonly #readyBelowBytes: number;
  /** Takes messages. There is none until a message comes. */
  #open: Batch | undefined;
  /** Whether the open batch is to leave as soon as a request is free. */
  #isDue = false;
  /** Whether every message is due at once. */
  #isHurried = false;
  #cancelTimer: () => void = () => {};
  /** As long as the batch before it was, and a little more: messages of one program are much alike. */
  #expectedBytes = 0;
  /** Full, and waiting for a request to be free. */
  readonly #sealed = new Fifo<Batch>();
  #underWay = 0;
  #isPumpQueued = false;
  /** Every batch with a message that has not ended. */
  readonly #live = new Set<Batch>();
  #flushes: Flush[] = [];
  #readyWaiters: (() => void)[] = [];
  /** Of the batches that are on disk alone. */
  #unloadedBytes = 0;
  #recoveredWaiters: (() => void)[] = [];
  /** The bytes that came since a waiting caller last went on. */
  #bytesThisTurn = 0;

  constructor(options: BatcherOptions) {
    this.#options = options;
    this.#counter = options.counter;
    // Enough for one full batch to wait behind those that are being sent; more would only take up memory.
    this.#readyBelowBytes = Math.min(options.maxQueueBytes / 2, (options.concurrency + 1) * options.maxBytes);
  }

  /**
   * Puts a message at the end of the queue. The receipt of it is its batch and its place there, `batch.count - 1`; undefined
   * when the queue is full, and then nothing has changed.
   */
  add(json: string): Batch | undefined {
    if (this.#isFullFor(json)) return undefined;
    let batch = this.#open ?? this.#openBatch();
    let bytes = batch.add(json);
    if (bytes === undefined) {
      this.#seal(batch);
      batch = this.#openBatch();
      // A new batch holds any one message: limits.ts and options.ts see to that.
      bytes = batch.add(json) ?? 0;
    }
    this.#counter.accept(bytes);
    this.#bytesThisTurn += bytes;
    this.#options.journal?.noteAdded(batch);
    if (this.#counter.pendingMessages === 1) this.#options.onBusy(true);
    if (batch.isFull) this.#seal(batch);
    else if (this.#isHurried || batch.count >= this.#options.flushAt) this.#makeDue();
    return batch;
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
    const recovered = this.#options.journal?.hasMore ? this.#recovered() : RESOLVED;
    if (this.#live.size === 0) return recovered;
    this.#makeDue();
    const own = new Promise<void>((resolve) => this.#flushes.push({ waitsFor: new Set(this.#live), resolve }));
    return recovered === RESOLVED ? own : recovered.then(() => own);
  }

  /** Whether there is room for more without filling the queue up. */
  get hasRoom(): boolean {
    return this.#counter.pendingBytes < this.#readyBelowBytes;
  }

  /** Whether `ready()` resolves at once. */
  get isReady(): boolean {
    return this.hasRoom && this.#bytesThisTurn < this.#options.maxBytes;
  }

  /**
   * Resolves when there is room again; at once while there is, but that the event loop goes round after each full request:
   * a caller that waits for nothing else would keep the bodies that are being sent from being written.
   */
  ready(): Promise<void> {
    if (this.isReady) return RESOLVED;
    if (this.hasRoom) setImmediate(this.#wake);
    else this.#makeDue();
    return new Promise((resolve) => this.#readyWaiters.push(resolve));
  }

  /** A copy of the message that came last, as JSON, unless it is in this batch. */
  newestOutside(batch: Batch): Uint8Array | undefined {
    const newest = [...this.#live].at(-1);
    return newest === undefined || newest === batch || !newest.isLoaded ? undefined : newest.copyOf(newest.count - 1);
  }

  /** Ends the messages of a batch up to, and without, `to`. Without `errorOf` they were delivered. */
  settle(batch: Batch, to: number, errorOf?: ErrorOf): void {
    const from = batch.results.ended;
    this.#writeOff(batch, from, to, errorOf);
    batch.results.endUpTo(to, errorOf);
    this.#options.journal?.noteEnded(batch, from, to, errorOf);
    if (batch.isOver) this.#forget(batch);
    if (this.hasRoom && this.#readyWaiters.length > 0) this.#wakeSoon();
    if (this.#counter.pendingMessages === 0) this.#options.onBusy(false);
    this.#options.onEnded(batch, from, to, errorOf);
  }

  /** Ends everything now: messages that are not delivered are lost, but those in a journal stay there, and `pending`. */
  abandon(error: EventferryError, errorOfHeld: EventferryError = error): void {
    this.#cancelTimer();
    this.#open = undefined;
    while (this.#sealed.shift() !== undefined);
    for (const batch of [...this.#live]) this.#abandon(batch, error, errorOfHeld);
  }

  /** A batch of an earlier process was read: the counter has its messages already. */
  #admit(batch: Batch): void {
    this.#live.add(batch);
    this.#counter.pendingBytes += batch.bytesOf(0, batch.count);
  }

  #abandon(batch: Batch, error: EventferryError, errorOfHeld: EventferryError): void {
    const held = this.#options.journal?.heldOf(batch) ?? 0;
    if (held === 0) {
      this.settle(batch, batch.count, () => error);
      return;
    }
    const from = Math.max(held, batch.results.ended);
    const errorOf: ErrorOf = (index) => (index < held ? errorOfHeld : error);
    this.#writeOff(batch, from, batch.count, errorOf);
    batch.results.endUpTo(batch.count, errorOf);
    this.#forget(batch);
    if (from < batch.count) this.#options.onEnded(batch, from, batch.count, errorOf);
  }

  #isFullFor(json: string): boolean {
    const { maxQueueBytes, journal } = this.#options;
    const room = maxQueueBytes - this.#memoryBytes;
    // Counting is only worth it near the limit; a UTF-16 code unit is at most three bytes.
    if (json.length * 3 > room && Buffer.byteLength(json) > room) return true;
    if (journal === undefined || journal.hasRoomFor(json.length * 3)) return false;
    return !journal.hasRoomFor(Buffer.byteLength(json));
  }

  get #memoryBytes(): number {
    return this.#counter.pendingBytes - this.#unloadedBytes;
  }

  /** Once the next request has left: what they make then is made while it travels. */
  #wakeSoon(): void {
    // undici writes to a connection that it has used before in the second turn of the event loop.
    setImmediate(() => setImmediate(this.#wake));
  }

  readonly #wake = (): void => {
    if (!this.hasRoom) {
      this.#makeDue();
      return;
    }
    this.#bytesThisTurn = 0;
    for (const resolve of this.#readyWaiters.splice(0)) resolve();
  };

  #openBatch(): Batch {
    const { newId, clock, flushAfter } = this.#options;
    const batch = new Batch(newId(), this.#options, this.#expectedBytes);
    this.#open = batch;
    this.#isDue = false;
    this.#live.add(batch);
    this.#cancelTimer = clock.after(flushAfter, () => this.#makeDue());
    return batch;
  }

  #seal(batch: Batch): void {
    this.#closeOpen(batch);
    if (!this.#unload(batch)) batch.trim();
    this.#sealed.push(batch);
    this.#queuePump();
  }

  /** With a journal, no more than half of what may be in memory waits there. */
  #unload(batch: Batch): boolean {
    const { journal, maxQueueBytes } = this.#options;
    if (journal === undefined || this.#memoryBytes <= maxQueueBytes / 2 || !journal.mayUnload(batch)) return false;
    batch.unload();
    this.#unloadedBytes += batch.bytesOf(0, batch.count);
    return true;
  }

  #closeOpen(batch: Batch): void {
    this.#cancelTimer();
    this.#open = undefined;
    this.#expectedBytes = batch.bytes * 1.1;
  }

  #makeDue(): void {
    this.#isDue = true;
    this.#queuePump();
  }

  /** Sends after the caller's own code has run, so that what it calls in one go leaves in one go. */
  #queuePump(): void {
    if (this.#isPumpQueued || this.#underWay >= this.#options.concurrency) return;
    this.#isPumpQueued = true;
    queueMicrotask(() => {
      this.#isPumpQueued = false;
      this.#pump();
    });
  }

  #pump(): void {
    const { concurrency, journal, send } = this.#options;
    while (this.#underWay < concurrency) {
      if (journal?.hasMore) {
        this.#track(this.#sendNext(journal));
        continue;
      }
      const batch = this.#sealed.shift() ?? this.#takeOpen();
      if (batch === undefined) return;
      if (!batch.isLoaded) this.#unloadedBytes -= batch.bytesOf(0, batch.count);
      this.#track(send(batch));
    }
  }

  #track(sending: Promise<void>): void {
    this.#underWay++;
    sending.then(() => {
      this.#underWay--;
      this.#pump();
    });
  }

  async #sendNext(journal: BatchJournal): Promise<void> {
    const batch = await journal.next();
    if (batch !== undefined) {
      this.#admit(batch);
      await this.#options.send(batch);
    }
    if (!journal.hasMore) for (const resolve of this.#recoveredWaiters.splice(0)) resolve();
  }

  /** Resolves when nothing of earlier processes waits. */
  #recovered(): Promise<void> {
    this.#queuePump();
    return new Promise((resolve) => this.#recoveredWaiters.push(resolve));
  }

  /** There are batches of earlier processes. */
  resume(): void {
    this.#queuePump();
  }

  #takeOpen(): Batch | undefined {
    const batch = this.#open;
    if (batch === undefined || !this.#isDue) return undefined;
    this.#closeOpen(batch);
    return batch;
  }

  #writeOff(batch: Batch, from: number, to: number, errorOf: ErrorOf | undefined): void {
    if (errorOf === undefined) {
      this.#counter.deliver(to - from, batch.bytesOf(from, to));
      return;
    }
    for (let index = from; index < to; index++) {
      const bytes = batch.bytesOf(index, index + 1);
      const error = errorOf(index);
      if (error === undefined) this.#counter.deliver(1, bytes);
      else this.#counter.lose(bytes, error.code);
    }
  }

  #forget(batch: Batch): void {
    this.#live.delete(batch);
    if (this.#flushes.length === 0) return;
    for (const { waitsFor } of this.#flushes) waitsFor.delete(batch);
    const done = this.#flushes.filter(({ waitsFor }) => waitsFor.size === 0);
    this.#flushes = this.#flushes.filter(({ waitsFor }) => waitsFor.size > 0);
    for (const { resolve } of done) resolve();
  }
}
