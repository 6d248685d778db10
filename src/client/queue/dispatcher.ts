import { HAS_DISK, inOwnContext } from '../../base/platform/node.js';
import type { Batch } from './batch.js';
import type { DiskBacklog } from './disk-backlog.js';

export interface DispatcherOptions {
  /** The most concurrent requests. */
  readonly concurrency: number;
  readonly disk?: DiskBacklog | undefined;
  readonly delivery: {
    /** Sends a batch until each of its messages has ended and was recorded. Must not reject. */
    deliver(batch: Batch): Promise<void>;
  };
  readonly queue: {
    /** Takes the open batch if it should leave now. */
    takeOpen(): Batch | undefined;
    /** Adds a batch of an earlier process that was read and is sent next. */
    admit(batch: Batch): void;
    /** Called when a request is free again and no batch waits for it. */
    restIfDone(): void;
  };
}

/** Sends batches in order, as many at once as allowed: first those of earlier processes, then full ones, then the open one. */
export class BatchDispatcher {
  /** True once nothing more is sent. */
  isClosed = false;
  readonly #options: DispatcherOptions;
  /** Full batches that wait for a free request. */
  readonly #sealed: Batch[] = [];
  #underWay = 0;
  #isPumpQueued = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  push(batch: Batch): void {
    this.#sealed.push(batch);
    this.start();
  }

  /** Starts sending after the caller's code has run, so that the messages of one turn leave together. */
  start(): void {
    if (this.#isPumpQueued || this.#underWay >= this.#options.concurrency) return;
    this.#isPumpQueued = true;
    inOwnContext(queueMicrotask, this.#pump);
  }

  /** Sends waiting batches at once and in order, however many requests run, as long as they have at most `bytes` bytes in total. */
  sendAtOnce(bytes: number): void {
    let room = bytes;
    for (const batch of this.clear()) {
      if (batch.bytes > room) {
        this.#sealed.push(batch);
        continue;
      }
      room -= batch.bytes;
      this.#track(this.#options.delivery.deliver(batch));
    }
  }

  /** Removes the waiting batches and returns them. */
  clear(): Batch[] {
    return this.#sealed.splice(0);
  }

  readonly #pump = (): void => {
    this.#isPumpQueued = false;
    const { concurrency, disk, delivery, queue } = this.#options;
    disk?.releaseIfSent();
    while (this.#underWay < concurrency && !this.isClosed) {
      if (HAS_DISK && disk?.journal.hasMore) {
        this.#track(disk.sendEarlier(this.#sendEarlier));
        continue;
      }
      const batch = this.#sealed.shift() ?? queue.takeOpen();
      if (batch === undefined) {
        queue.restIfDone();
        return;
      }
      disk?.noteTaken(batch);
      // All of its messages may have been dropped.
      if (!batch.isOver) this.#track(delivery.deliver(batch));
    }
  };

  #track(sending: Promise<void>): void {
    this.#underWay++;
    sending.then(() => {
      this.#underWay--;
      this.#pump();
    });
  }

  readonly #sendEarlier = async (batch: Batch): Promise<void> => {
    if (this.isClosed) return;
    this.#options.queue.admit(batch);
    await this.#options.delivery.deliver(batch);
  };
}
