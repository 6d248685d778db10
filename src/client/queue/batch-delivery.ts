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

export interface BatchDeliveryOptions {
  /** Splits a refused batch into parts. Differs between platforms. */
  takeApart(...parts: ConstructorParameters<typeof BatchParts>): BatchParts | Promise<BatchParts>;
  readonly counter: StatsCounter;
  readonly reporter: DeliveryReporter;
  readonly sender: Pick<BatchSender, 'begin'>;
  readonly live: Pick<LiveBatches, 'settle' | 'drop' | 'newestOutside'>;
  /** Allows more messages to wait while requests fail. */
  readonly queue: { noteRoom(): void };
  /** Loads a batch back into memory that is only on disk. @default batches are only in memory */
  readonly journal?: { load(batch: Batch): Promise<Unreadable | undefined> } | undefined;
  /** What is known about which messages the collector accepts. @default nothing */
  readonly acceptance?: Acceptance;
  readonly clock: Pick<Clock, 'now' | 'wall'>;
}

/** The part of the reporter that is told about attempts. */
export interface DeliveryReporter {
  /** Returns the headers to send with each request of the batch. */
  flush(batch: string, messages: number, bytes: number): RequestHeaders;
  retry(batch: string, messages: number, retry: Retry): void;
  /** Reports the loss of a message whose content is unknown. */
  refused(message: undefined, error: EventferryError): void;
}

/** Messages of a batch that are lost because the disk cannot return them. */
export interface Unreadable {
  readonly indexes: readonly number[];
  readonly error: EventferryError;
}

/** What all deliveries of a client share. */
interface Common extends BatchDeliveryOptions {
  readonly acceptance: Acceptance;
  /** Callers that wait until the next request has ended. */
  readonly landings: (() => void)[];
  /** Imports that stop when the collector refuses everything. They are kept apart from the user's `retry` listeners. */
  readonly refusalListeners: Set<(error: EventferryError) => void>;
}

/** Delivers batches: sends them, and records what became of each message. */
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

  /** Resolves when each message of a batch has ended and was recorded. Never rejects. */
  deliver(batch: Batch): Promise<void> {
    return !HAS_DISK || batch.isLoaded
      ? new RunningDelivery(this.#common, batch).send()
      : deliverStored(this.#common, batch);
  }

  /** Resolves when the next request has ended. */
  landed(): Promise<void> {
    return new Promise((resolve) => this.#common.landings.push(resolve));
  }

  /** Forgets the last accepted message if it is meant, because it might otherwise be sent again as a test. */
  forgetLastTaken(isMeant: (json: Uint8Array) => boolean): void {
    const { acceptance } = this.#common;
    if (acceptance.lastTaken !== undefined && isMeant(acceptance.lastTaken)) acceptance.lastTaken = undefined;
  }
}

/** Records the messages that the disk cannot return as lost, and sends the others. */
async function deliverStored(common: Common, batch: Batch): Promise<void> {
  const { journal, live, reporter } = common;
  const unreadable = await journal?.load(batch);
  if (unreadable !== undefined) {
    const { indexes, error } = unreadable;
    live.drop(batch, indexes, error);
    for (const _ of indexes) reporter.refused(undefined, error);
  }
  if (!batch.isOver) await new RunningDelivery(common, batch).send();
}

/** The delivery of one batch, until each of its messages has ended. */
class RunningDelivery implements PartSteps {
  readonly #common: Common;
  readonly #batch: Batch;
  readonly #sending: Sending;
  /** The parts of the batch; undefined until it has to be split. */
  #parts: BatchParts | undefined;

  constructor(common: Common, batch: Batch) {
    this.#common = common;
    this.#batch = batch;
    this.#sending = common.sender.begin(common.reporter.flush(batch.id, batch.count, batch.bytes));
  }

  /** Repeats attempts until the batch has ended. The circuit breaker of all batches sets the pauses. Never rejects. */
  async send(): Promise<void> {
    for (let isOver = false; !isOver; ) {
      try {
        const isTooLarge = this.#batch.bytes > this.mostBytes && this.#batch.count > 1;
        if (isTooLarge) this.#parts ??= await this.#common.takeApart(this.#batch, this.#common.acceptance, this);
        await (this.#parts === undefined ? this.#tryWhole() : this.#parts.send());
        this.#sending.finish();
        isOver = true;
      } catch (error) {
        isOver = this.#fail(error);
      } finally {
        this.#land();
      }
    }
  }

  /** Records a failed attempt. If no attempt is left, gives up the batch and returns true. */
  #fail(error: unknown): boolean {
    const { reporter, queue, refusalListeners } = this.#common;
    let retry: Retry;
    try {
      retry = this.#sending.fail(error);
    } catch (last) {
      this.#giveUp(lossOf(last));
      return true;
    }
    reporter.retry(this.#batch.id, this.#batch.count - this.#batch.results.ended, retry);
    queue.noteRoom();
    if (retry.error instanceof RefusesAllError) for (const listener of refusalListeners) listener(retry.error);
    return false;
  }

  /** Sends the whole batch. Most batches need nothing else, so this function does as little as possible. */
  async #tryWhole(): Promise<void> {
    const { count } = this.#batch;
    const paused = this.#sending.pass();
    if (paused !== undefined) await paused;
    const outcome = await this.post(this.#batch.body(0, count, this.leave()));
    // The process may have abandoned the batch meanwhile.
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

  /** Called before each part, when the request of the previous one has ended. */
  pass(): Promise<void> | undefined {
    this.#land();
    return this.#sending.pass();
  }

  /** @throws ForgottenError if all messages ended while the batch waited to be sent again */
  leave(): string {
    if (this.#batch.isOver) throw new ForgottenError();
    this.#batch.isUnderWay = true;
    const { clock } = this.#common;
    // A test may have replaced the machine's clock since.
    return formatMs(clock.wall() || clock.now());
  }

  post(body: Uint8Array<ArrayBuffer>): Promise<Outcome> {
    const { counter } = this.#common;
    counter.requests++;
    if (this.#sending.repetitions > 0) counter.retries++;
    counter.bytes += body.length;
    return this.#sending.post(body);
  }

  /** Records that all messages before `to` have ended. */
  settle(to: number, errorOf?: ErrorOf): void {
    this.#common.live.settle(this.#batch, to, errorOf);
  }

  #land(): void {
    this.#batch.isUnderWay = false;
    for (const resolve of this.#common.landings.splice(0)) resolve();
  }

  #giveUp(error: EventferryError): void {
    const errorOf = this.#parts?.giveUp(() => error) ?? (() => error);
    if (!this.#batch.isOver) this.settle(this.#batch.count, errorOf);
  }
}

/** Returns an error with a code for any thrown value. */
const lossOf = (error: unknown): EventferryError =>
  isInstance(error, EventferryError) ? error : new ConnectionError(describeThrown(error), { cause: error });
