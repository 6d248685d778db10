import type { EventferryError } from '../errors.js';
import type { Journal } from './journal/journal.js';
import { Acceptance } from './queue/acceptance.js';
import type { Batch } from './queue/batch.js';
import type { ErrorOf } from './queue/results.js';
import { sendBatch } from './queue/send-batch.js';
import type { StatsCounter } from './queue/stats.js';
import type { Reporter } from './reporter.js';
import type { BatchSender, Retry } from './transport/batch-sender.js';

export interface BatchDeliveryOptions {
  readonly counter: StatsCounter;
  readonly reporter: Reporter;
  readonly sender: BatchSender;
  readonly journal: Journal | undefined;
  /** The time of an attempt. */
  timestamp(): string;
  newBatch(): Batch;
  /** Ends the messages of a batch up to, and without, `to`. */
  settle(batch: Batch, to: number, errorOf?: ErrorOf): void;
  /** A copy of a message that waits behind this batch. */
  newestOutside(batch: Batch): Uint8Array | undefined;
}

/** `{}` stands in for a message that cannot be read back. */
const UNREADABLE = Uint8Array.of(0x7b, 0x7d);

/** Brings batches to their end: one that is on disk alone is read back, all are sent, and what became of each message is noted. */
export class BatchDelivery {
  readonly #options: BatchDeliveryOptions;
  readonly #acceptance = new Acceptance();
  /** Imports that stop when the collector refuses everything. Apart from the `retry` listeners, who are the user's. */
  readonly #refusalListeners = new Set<(error: EventferryError) => void>();

  constructor(options: BatchDeliveryOptions) {
    this.#options = options;
  }

  /** Calls `listener` when the collector refuses everything, until the function it returns is called. */
  onRefusal(listener: (error: EventferryError) => void): () => void {
    this.#refusalListeners.add(listener);
    return () => this.#refusalListeners.delete(listener);
  }

  /** Resolves when each message of a batch has ended and was settled. Never rejects. */
  deliver(batch: Batch): Promise<void> {
    const { journal, settle } = this.#options;
    if (!batch.isLoaded && journal !== undefined) return this.#deliverFrom(journal, batch);
    return this.#send(batch, batch, (to, errorOf) => settle(batch, to, errorOf));
  }

  async #deliverFrom(journal: Journal, batch: Batch): Promise<void> {
    const messages = await journal.read(batch);
    // The process may have given up on the batch meanwhile.
    if (batch.isOver) return;
    this.#options.counter.pendingBytes += batch.load(messages.map((message) => message ?? UNREADABLE));
    if (!messages.includes(undefined)) return this.deliver(batch);
    const error = journal.tellDamage(messages.filter((message) => message === undefined).length);
    await this.#deliverReadable(batch, messages, error);
  }

  /** Loses the messages that cannot be read, and sends those between them. */
  async #deliverReadable(batch: Batch, messages: readonly (Uint8Array | undefined)[], error: EventferryError) {
    const { settle } = this.#options;
    for (let from = 0; from < batch.count && !batch.isOver; ) {
      const part = this.#partOf(messages, from);
      if (part.count > 0) await this.#sendPart(part, batch, from);
      else settle(batch, from + 1, () => error);
      from += Math.max(1, part.count);
    }
  }

  /** The messages from `from` on, up to the first that cannot be read. */
  #partOf(messages: readonly (Uint8Array | undefined)[], from: number): Batch {
    const part = this.#options.newBatch();
    for (
      let at = from, message = messages[at];
      message !== undefined && part.addBytes(message);
      message = messages[++at]
    );
    return part;
  }

  #sendPart(part: Batch, whole: Batch, from: number): Promise<void> {
    const { settle } = this.#options;
    return this.#send(part, whole, (to, errorOf) => {
      part.results.endUpTo(to, errorOf);
      if (!whole.isOver) settle(whole, from + to, errorOf && ((index) => errorOf(index - from)));
    });
  }

  /** @param waiting the batch behind which others wait */
  #send(batch: Batch, waiting: Batch, settle: (to: number, errorOf?: ErrorOf) => void): Promise<void> {
    const { reporter, sender, timestamp, newestOutside } = this.#options;
    reporter.flush(waiting.id, batch.count, batch.bytes);
    return sendBatch(batch, this.#acceptance, {
      send: (attempt) =>
        sender.send(attempt, (retry) => this.#retry(waiting.id, batch.count - batch.results.ended, retry)),
      body: (from, to, isRepetition) => this.#count(isRepetition, batch.body(from, to, timestamp())),
      bodyAround: (message, isRepetition) => this.#count(isRepetition, batch.bodyAround(message, timestamp())),
      newestWaiting: () => newestOutside(waiting),
      settle,
    });
  }

  #retry(batch: string, messages: number, retry: Retry): void {
    this.#options.reporter.retry(batch, messages, retry);
    if (retry.error.code !== 'EVENTFERRY_REFUSES_ALL') return;
    for (const listener of this.#refusalListeners) listener(retry.error);
  }

  #count(isRepetition: boolean, body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const { counter } = this.#options;
    counter.requests++;
    if (isRepetition) counter.retries++;
    counter.bytes += body.length;
    return body;
  }
}
