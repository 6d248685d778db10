import { describeThrown } from '../../base/errors/describe-thrown.js';
import { ConnectionError, EventferryError, ForgottenError, RefusesAllError } from '../../base/errors/errors.js';
import { isInstance } from '../../base/errors/is-instance.js';
import { formatMs, HAS_DISK } from '../../base/platform/node.js';
import type { Clock } from '../../base/time/clock.js';
import type { BatchSender, Retry, Sending } from '../transport/batch-sender.js';
import type { RequestHeaders } from '../transport/request-headers.js';
import type { Outcome } from '../transport/response-outcome.js';
import { Acceptance } from './acceptance.js';
import type { Batch } from './batch.js';
import type { BatchParts, PartSteps } from './batch-parts.js';
import type { LiveBatches } from './live-batches.js';
import type { ErrorOf } from './receipt.js';
import type { StatsCounter } from './stats.js';

/** Delivery takes these from the client's platform. */
export interface DeliverySteps {
  /** Takes a refused batch apart. */
  takeApart(...parts: ConstructorParameters<typeof BatchParts>): BatchParts | Promise<BatchParts>;
}

export interface BatchDeliveryOptions extends DeliverySteps {
  readonly counter: StatsCounter;
  readonly reporter: DeliveryReporter;
  readonly sender: Pick<BatchSender, 'begin'>;
  readonly live: Pick<LiveBatches, 'settle' | 'drop' | 'newestOutside'>;
  /** Lets more wait while requests fail. */
  readonly queue: { noteRoom(): void };
  /** Brings a batch that is on disk alone back into memory. @default batches are in memory alone */
  readonly journal?: { load(batch: Batch): Promise<Unreadable | undefined> } | undefined;
  /** @default a collector of which nothing is known */
  readonly acceptance?: Acceptance;
  readonly clock: Pick<Clock, 'now' | 'wall'>;
}

/** The part of the reporter that hears of attempts. */
export interface DeliveryReporter {
  /** Returns what is to go out with each request of the batch. */
  flush(batch: string, messages: number, bytes: number): RequestHeaders;
  retry(batch: string, messages: number, retry: Retry): void;
  /** A message of which nothing is known is lost. */
  refused(message: undefined, error: EventferryError): void;
}

/** Messages of a batch that are lost, as the disk does not give them back. */
export interface Unreadable {
  readonly indexes: readonly number[];
  readonly error: EventferryError;
}

/** All batches of a client share this on their way. */
interface Common extends BatchDeliveryOptions {
  readonly acceptance: Acceptance;
  /** Callers that wait until the next request has ended. */
  readonly landings: (() => void)[];
  /** Imports that stop when the collector refuses everything. Apart from the `retry` listeners, who are the user's. */
  readonly refusalListeners: Set<(error: EventferryError) => void>;
}

/** Brings batches to their end: sends them, and notes what became of each message. */
export class BatchDelivery {
  readonly #common: Common;

  constructor(options: BatchDeliveryOptions) {
    this.#common = { acceptance: new Acceptance(), ...options, landings: [], refusalListeners: new Set() };
  }

  /** Calls `listener` when the collector refuses everything, until the function it returns is called. */
  onRefusal(listener: (error: EventferryError) => void): () => void {
    const { refusalListeners } = this.#common;
    refusalListeners.add(listener);
    return () => refusalListeners.delete(listener);
  }

  /** Resolves when each message of a batch has ended and was settled. Never rejects. */
  deliver(batch: Batch): Promise<void> {
    return !HAS_DISK || batch.isLoaded ? new Delivery(this.#common, batch).send() : deliverStored(this.#common, batch);
  }

  /** Resolves when a request has ended. */
  landed(): Promise<void> {
    return new Promise((resolve) => this.#common.landings.push(resolve));
  }

  /** Forgets the message that the collector took last, where it is meant: it might be sent once more. */
  forgetLastTaken(isMeant: (json: Uint8Array) => boolean): void {
    const { acceptance } = this.#common;
    if (acceptance.lastTaken !== undefined && isMeant(acceptance.lastTaken)) acceptance.lastTaken = undefined;
  }
}

/** Loses the messages that the disk does not give back, and sends the others. */
async function deliverStored(common: Common, batch: Batch): Promise<void> {
  const { journal, live, reporter } = common;
  const unreadable = await journal?.load(batch);
  if (unreadable !== undefined) {
    const { indexes, error } = unreadable;
    if (live.drop(batch, indexes, error)) live.settle(batch, batch.count, () => error);
    for (const _ of indexes) reporter.refused(undefined, error);
  }
  if (!batch.isOver) await new Delivery(common, batch).send();
}

/** One batch on its way, until each of its messages has ended. */
class Delivery implements PartSteps {
  readonly #common: Common;
  readonly #batch: Batch;
  readonly #sending: Sending;
  /** There are some as soon as the batch has to be taken apart. */
  #parts: BatchParts | undefined;

  constructor(common: Common, batch: Batch) {
    this.#common = common;
    this.#batch = batch;
    this.#sending = common.sender.begin(common.reporter.flush(batch.id, batch.count, batch.bytes));
  }

  /** Repeats attempts until the batch has ended. The circuit breaker, which all batches share, sets the pauses. Never rejects. */
  async send(): Promise<void> {
    for (let isOver = false; !isOver; ) {
      try {
        await this.#attempt();
        isOver = true;
      } catch (error) {
        isOver = this.#fail(error);
      }
    }
  }

  /** Records a failed attempt. If no attempt is left, gives up the batch and returns true. */
  #fail(error: unknown): boolean {
    try {
      this.#noteFailure(error);
      return false;
    } catch (last) {
      this.#giveUp(lossOf(last));
      return true;
    }
  }

  async #attempt(): Promise<void> {
    try {
      const isTooLarge = this.#batch.bytes > this.mostBytes && this.#batch.count > 1;
      if (isTooLarge) this.#parts ??= await this.#common.takeApart(this.#batch, this.#common.acceptance, this);
      await (this.#parts === undefined ? this.#tryWhole() : this.#parts.send());
      this.#sending.finish();
    } finally {
      this.#land();
    }
  }

  /** Sends the whole batch. This is nearly always all there is to do, so it costs little. */
  async #tryWhole(): Promise<void> {
    const { count } = this.#batch;
    const paused = this.#sending.pass();
    if (paused !== undefined) await paused;
    const outcome = await this.post(this.#batch.body(0, count, this.leave()));
    // The process may have given up on the batch meanwhile.
    if (this.#batch.isOver) return;
    const answer = this.#common.acceptance.judge(outcome, this.#batch, 0, count);
    if (answer.kind === 'split') {
      this.#parts = await this.#common.takeApart(this.#batch, this.#common.acceptance, this);
      await this.#parts.sendAfter(answer);
    } else {
      this.settle(count, answer.kind === 'taken' ? answer.errorOf : () => answer.error);
    }
  }

  get mostBytes(): number {
    return this.#sending.mostBytes;
  }

  newestWaiting(): Uint8Array | undefined {
    return this.#common.live.newestOutside(this.#batch);
  }

  /** Before a part is sent, the one before it has ended. */
  pass(): Promise<void> | undefined {
    this.#land();
    return this.#sending.pass();
  }

  /** @throws ForgottenError when all of it has ended while it waited to be sent again */
  leave(): string {
    if (this.#batch.isOver) throw new ForgottenError();
    this.#batch.isUnderWay = true;
    const { clock } = this.#common;
    // A test may have broken the machine's clock since.
    return formatMs(clock.wall() || clock.now());
  }

  post(body: Uint8Array<ArrayBuffer>): Promise<Outcome> {
    const { counter } = this.#common;
    counter.requests++;
    if (this.#sending.repetitions > 0) counter.retries++;
    counter.bytes += body.length;
    return this.#sending.post(body);
  }

  /** Takes note that all messages before `to` have ended. */
  settle(to: number, errorOf?: ErrorOf): void {
    this.#common.live.settle(this.#batch, to, errorOf);
  }

  #land(): void {
    this.#batch.isUnderWay = false;
    for (const resolve of this.#common.landings.splice(0)) resolve();
  }

  /** @throws what ends the batch, where no attempt is left */
  #noteFailure(error: unknown): void {
    const { reporter, queue, refusalListeners } = this.#common;
    const retry = this.#sending.fail(error);
    reporter.retry(this.#batch.id, this.#batch.count - this.#batch.results.ended, retry);
    queue.noteRoom();
    if (!(retry.error instanceof RefusesAllError)) return;
    for (const listener of refusalListeners) listener(retry.error);
  }

  #giveUp(error: EventferryError): void {
    const errorOf = this.#parts?.giveUp(() => error) ?? (() => error);
    if (!this.#batch.isOver) this.settle(this.#batch.count, errorOf);
  }
}

/** A reason with a code, whatever was thrown. */
const lossOf = (error: unknown): EventferryError =>
  isInstance(error, EventferryError) ? error : new ConnectionError(describeThrown(error), { cause: error });
