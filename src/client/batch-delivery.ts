import { type EventferryError, ForgottenError } from '../base/errors/errors.js';
import { HAS_DISK } from '../base/platform/node.js';
import type { StoredSteps } from './journal/client-journal.js';
import { takeApart } from './platform/node.js';
import { Acceptance } from './queue/acceptance.js';
import type { Batch } from './queue/batch.js';
import type { ErrorOf } from './queue/results.js';
import { sendBatch } from './queue/send-batch.js';
import type { StatsCounter } from './queue/stats.js';
import type { Reporter } from './report/reporter.js';
import type { Attempt, BatchSender, Retry } from './transport/batch-sender.js';

export interface BatchDeliveryOptions {
  readonly counter: StatsCounter;
  readonly reporter: Reporter;
  readonly sender: BatchSender;
  /** Reads a batch that is on disk alone, and has it sent. */
  readonly journal: { deliver(batch: Batch, steps: StoredSteps): Promise<void> } | undefined;
  /** The time of an attempt. */
  timestamp(): string;
  /** Ends the messages of a batch up to, and without, `to`. */
  settle(batch: Batch, to: number, errorOf?: ErrorOf): void;
  /** Called when a request has failed and is repeated. */
  onFailure(): void;
  /** A copy of a message that waits behind this batch. */
  newestOutside(batch: Batch): Uint8Array | undefined;
}

/** Brings batches to their end: sends them, and notes what became of each message. */
export class BatchDelivery implements StoredSteps {
  readonly #options: BatchDeliveryOptions;
  readonly #acceptance = new Acceptance();
  readonly #underWay = new Set<Batch>();
  #landing: (() => void)[] = [];
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
    if (HAS_DISK && !batch.isLoaded && journal !== undefined) return journal.deliver(batch, this);
    return this.send(batch, batch, (to, errorOf) => settle(batch, to, errorOf));
  }

  /** Whether a request carries a message of this batch now. Between two attempts none does. */
  isUnderWay(batch: Batch): boolean {
    return this.#underWay.has(batch);
  }

  /** Resolves when a request has ended. */
  landed(): Promise<void> {
    return new Promise((resolve) => this.#landing.push(resolve));
  }

  /** Forgets the message that the collector took last, where it is meant: it might be sent once more. */
  forgetLastTaken(isMeant: (json: Uint8Array) => boolean): void {
    const { lastTaken } = this.#acceptance;
    if (lastTaken !== undefined && isMeant(lastTaken)) this.#acceptance.lastTaken = undefined;
  }

  settle(batch: Batch, to: number, errorOf?: ErrorOf): void {
    this.#options.settle(batch, to, errorOf);
  }

  /** @param waiting the batch behind which others wait */
  async send(batch: Batch, waiting: Batch, settle: (to: number, errorOf?: ErrorOf) => void): Promise<void> {
    const { reporter, sender, timestamp, newestOutside } = this.#options;
    const headers = reporter.flush(waiting.id, batch.count, batch.bytes);
    // A part is a copy, of which nothing can be dropped.
    const isPart = batch !== waiting;
    if (isPart) this.#underWay.add(waiting);
    const land = (): void => (isPart ? undefined : this.#land(waiting));
    const post = (isRepetition: boolean, body: () => Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
      // All of it may have been dropped while it waited to be sent again.
      if (waiting.isOver) throw new ForgottenError();
      this.#underWay.add(waiting);
      return this.#count(isRepetition, body());
    };
    await sendBatch(batch, this.#acceptance, {
      send: (attempt) =>
        sender.send(
          landing(attempt, land),
          (retry) => this.#retry(waiting.id, batch.count - batch.results.ended, retry),
          headers,
        ),
      body: (from, to, isRepetition) => post(isRepetition, () => batch.body(from, to, timestamp())),
      bodyAround: (message, isRepetition) => post(isRepetition, () => batch.bodyAround(message, timestamp())),
      newestWaiting: () => newestOutside(waiting),
      takeApart,
      settle,
    });
    this.#land(waiting);
  }

  #land(batch: Batch): void {
    this.#underWay.delete(batch);
    for (const resolve of this.#landing.splice(0)) resolve();
  }

  #retry(batch: string, messages: number, retry: Retry): void {
    this.#options.reporter.retry(batch, messages, retry);
    this.#options.onFailure();
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

/** Calls `land` whenever no request of an attempt runs: when one has been answered, and at its end. */
const landing =
  (attempt: Attempt, land: () => void): Attempt =>
  (post) =>
    attempt((makeBody) => {
      land();
      return post(makeBody);
    }).finally(land);
