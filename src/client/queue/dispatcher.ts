import { HAS_DISK, inOwnContext } from '../../base/platform/node.js';
import type { Batch } from './batch.js';
import type { DiskBacklog } from './disk-backlog.js';

export interface DispatcherOptions {
  /** The most requests at once. */
  readonly concurrency: number;
  readonly disk?: DiskBacklog | undefined;
  readonly delivery: {
    /** Sends a batch until each of its messages has ended and was settled. Must not reject. */
    deliver(batch: Batch): Promise<void>;
  };
  readonly queue: {
    /** The batch that takes messages, if it should leave now. */
    takeOpen(): Batch | undefined;
    /** A batch of an earlier process was read, and is sent next. */
    admit(batch: Batch): void;
    /** A request is free again, and nothing waits for it. */
    restIfDone(): void;
  };
}

/** Sends batches in order, as many at once as may be: first those of earlier processes, then the full ones, then the open one. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  /** Full, and waiting for a request to be free. */
  readonly #sealed: Batch[] = [];
  #underWay = 0;
  #isPumpQueued = false;
  #isClosed = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  push(batch: Batch): void {
    this.#sealed.push(batch);
    this.start();
  }

  /** Sends after the caller's code has run, so that messages of one turn leave together. */
  start(): void {
    if (this.#isPumpQueued || this.#underWay >= this.#options.concurrency) return;
    this.#isPumpQueued = true;
    inOwnContext(queueMicrotask, this.#pumpQueued);
  }

  readonly #pumpQueued = (): void => {
    this.#isPumpQueued = false;
    this.#pump();
  };

  /** Sends the batches that wait at once, however many requests run: in order, those that so many bytes have room for. */
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

  /** Forgets the batches that wait, and returns them. */
  clear(): Batch[] {
    return this.#sealed.splice(0);
  }

  /** True once it sends nothing any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Sends nothing from now on. */
  close(): void {
    this.#isClosed = true;
  }

  #pump(): void {
    const { concurrency, disk, delivery, queue } = this.#options;
    disk?.releaseIfSent();
    while (this.#underWay < concurrency && !this.#isClosed) {
      if (HAS_DISK && disk?.hasEarlier) {
        this.#track(disk.sendEarlier(this.#sendEarlier));
        continue;
      }
      const batch = this.#sealed.shift() ?? queue.takeOpen();
      if (batch === undefined) {
        queue.restIfDone();
        return;
      }
      disk?.noteTaken(batch);
      // All of it may have been dropped.
      if (!batch.isOver) this.#track(delivery.deliver(batch));
    }
  }

  #track(sending: Promise<void>): void {
    this.#underWay++;
    sending.then(() => {
      this.#underWay--;
      this.#pump();
    });
  }

  readonly #sendEarlier = async (batch: Batch): Promise<void> => {
    if (this.#isClosed) return;
    this.#options.queue.admit(batch);
    await this.#options.delivery.deliver(batch);
  };
}
