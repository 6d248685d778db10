import { describeThrown } from '../base/errors/describe-thrown.js';
import { ConnectionError, EventferryError, ForgottenError, RejectedError } from '../base/errors/errors.js';
import { isInstance } from '../base/errors/is-instance.js';
import { HAS_DISK } from '../base/platform/node.js';
import type { StoredSteps } from './journal/client-journal.js';
import { repeat, takeApart } from './platform/node.js';
import { Acceptance } from './queue/acceptance.js';
import type { Batch } from './queue/batch.js';
import type { BatchParts, PartSteps } from './queue/batch-parts.js';
import type { Answer } from './queue/bisection.js';
import type { ErrorOf } from './queue/results.js';
import type { StatsCounter } from './queue/stats.js';
import type { Reporter } from './report/reporter.js';
import type { BatchSender, MakeBody, Sending } from './transport/batch-sender.js';
import type { Outcome, Rejection } from './transport/outcome.js';

export interface BatchDeliveryOptions {
  readonly counter: StatsCounter;
  readonly reporter: Pick<Reporter, 'flush' | 'retry'>;
  readonly sender: { begin: BatchSender['begin'] };
  /** Reads a batch that is on disk alone, and has it sent. */
  readonly journal: { deliver(batch: Batch, steps: StoredSteps): Promise<void> } | undefined;
  /** @default a collector of which nothing is known */
  readonly acceptance?: Acceptance;
  /** The time of an attempt. */
  timestamp(): string;
  /** Ends the messages of a batch up to, and without, `to`. */
  settle(batch: Batch, to: number, errorOf?: ErrorOf): void;
  /** Called when a request has failed and is repeated. */
  onFailure(): void;
  /** A copy of a message that waits behind this batch. */
  newestOutside(batch: Batch): Uint8Array | undefined;
}

type Settle = (to: number, errorOf?: ErrorOf) => void;

/** The batches that a request carries now. Between two attempts none does. */
class UnderWay {
  readonly #batches = new Set<Batch>();
  #waiters: (() => void)[] = [];

  has(batch: Batch): boolean {
    return this.#batches.has(batch);
  }

  leave(batch: Batch): void {
    this.#batches.add(batch);
  }

  land(batch: Batch): void {
    this.#batches.delete(batch);
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  /** Resolves when the next has landed. */
  landed(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }
}

/** What the batches of a client have in common on their way. */
interface Common extends BatchDeliveryOptions {
  readonly acceptance: Acceptance;
  readonly underWay: UnderWay;
  /** Called when the collector refuses everything. */
  onRefusal(error: EventferryError): void;
}

/** Brings batches to their end: sends them, and notes what became of each message. */
export class BatchDelivery implements StoredSteps {
  readonly #common: Common;
  /** Imports that stop when the collector refuses everything. Apart from the `retry` listeners, who are the user's. */
  readonly #refusalListeners = new Set<(error: EventferryError) => void>();

  constructor(options: BatchDeliveryOptions) {
    this.#common = {
      acceptance: new Acceptance(),
      ...options,
      underWay: new UnderWay(),
      onRefusal: (error) => {
        for (const listener of this.#refusalListeners) listener(error);
      },
    };
  }

  /** Calls `listener` when the collector refuses everything, until the function it returns is called. */
  onRefusal(listener: (error: EventferryError) => void): () => void {
    this.#refusalListeners.add(listener);
    return () => this.#refusalListeners.delete(listener);
  }

  /** Resolves when each message of a batch has ended and was settled. Never rejects. */
  deliver(batch: Batch): Promise<void> {
    const { journal } = this.#common;
    if (HAS_DISK && !batch.isLoaded && journal !== undefined) return journal.deliver(batch, this);
    return new Delivery(this.#common, batch, batch, (to, errorOf) => this.settle(batch, to, errorOf)).send();
  }

  /** Whether a request carries a message of this batch now. */
  isUnderWay(batch: Batch): boolean {
    return this.#common.underWay.has(batch);
  }

  /** Resolves when a request has ended. */
  landed(): Promise<void> {
    return this.#common.underWay.landed();
  }

  /** Forgets the message that the collector took last, where it is meant: it might be sent once more. */
  forgetLastTaken(isMeant: (json: Uint8Array) => boolean): void {
    const { acceptance } = this.#common;
    if (acceptance.lastTaken !== undefined && isMeant(acceptance.lastTaken)) acceptance.lastTaken = undefined;
  }

  settle(batch: Batch, to: number, errorOf?: ErrorOf): void {
    this.#common.settle(batch, to, errorOf);
  }

  /** Sends a copy of a part of a batch, of which nothing can be dropped meanwhile. */
  async sendPart(part: Batch, whole: Batch, settle: Settle): Promise<void> {
    const { underWay } = this.#common;
    underWay.leave(whole);
    await new Delivery(this.#common, part, whole, settle).send();
    underWay.land(whole);
  }
}

/** One batch on its way, until each of its messages has ended. */
class Delivery implements PartSteps {
  readonly #common: Common;
  readonly #batch: Batch;
  /** The batch behind which others wait: this one, or the one that it is a part of. */
  readonly #whole: Batch;
  readonly #sending: Sending;
  readonly settle: Settle;
  /** There are some as soon as the batch has to be taken apart. */
  #parts: BatchParts | undefined;

  constructor(common: Common, batch: Batch, whole: Batch, settle: Settle) {
    this.#common = common;
    this.#batch = batch;
    this.#whole = whole;
    this.#sending = common.sender.begin(common.reporter.flush(whole.id, batch.count, batch.bytes));
    this.settle = settle;
  }

  /** Never rejects. */
  async send(): Promise<void> {
    try {
      // The first attempt is nearly always the last.
      await this.#attempt().catch((error: unknown) => {
        this.#noteFailure(error);
        return repeat(
          () => this.#attempt(),
          (failure) => this.#noteFailure(failure),
        );
      });
    } catch (error) {
      this.#giveUp(lossOf(error));
    }
    this.#land();
  }

  async #attempt(): Promise<void> {
    try {
      await (this.#parts === undefined ? this.#tryWhole() : this.#parts.send());
      this.#sending.finish();
    } finally {
      this.#land();
    }
  }

  /** Nearly always all there is to do, and so done with little. */
  async #tryWhole(): Promise<void> {
    const { count } = this.#batch;
    const outcome = await this.post((isRepetition) => this.body(0, count, isRepetition));
    // The process may have given up on the batch meanwhile.
    if (this.#batch.isOver) return;
    const answer = this.judge(outcome, 0, count);
    if (answer.kind === 'split') {
      this.#parts = await takeApart(this.#batch, this.#common.acceptance, this);
      await this.#parts.sendAfter(answer);
    } else {
      this.settle(count, answer.kind === 'taken' ? answer.errorOf : () => answer.error);
    }
  }

  /** Sends one request. What came before it has ended. */
  post(makeBody: MakeBody): Promise<Outcome> {
    this.#land();
    return this.#sending.post(makeBody);
  }

  /** Judges an answer: its result for the messages, and for the collector. */
  judge(outcome: Outcome, from: number, to: number): Answer {
    const answer = answerOf(outcome, this.#batch, from, to);
    if (answer.kind === 'taken') this.#common.acceptance.took(this.#lastTaken(from, to, answer.errorOf));
    return answer;
  }

  body(from: number, to: number, isRepetition: boolean): Uint8Array<ArrayBuffer> {
    return this.#leave(isRepetition, (sentAt) => this.#batch.body(from, to, sentAt));
  }

  bodyAround(message: Uint8Array, isRepetition: boolean): Uint8Array<ArrayBuffer> {
    return this.#leave(isRepetition, (sentAt) => this.#batch.bodyAround(message, sentAt));
  }

  newestWaiting(): Uint8Array | undefined {
    return this.#common.newestOutside(this.#whole);
  }

  #leave(isRepetition: boolean, make: (sentAt: string) => Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const { counter, underWay, timestamp } = this.#common;
    // All of it may have been dropped while it waited to be sent again.
    if (this.#whole.isOver) throw new ForgottenError();
    underWay.leave(this.#whole);
    const body = make(timestamp());
    counter.requests++;
    if (isRepetition) counter.retries++;
    counter.bytes += body.length;
    return body;
  }

  #land(): void {
    if (this.#batch === this.#whole) this.#common.underWay.land(this.#batch);
  }

  /** @throws what ends the batch, where no attempt is left */
  #noteFailure(error: unknown): void {
    const { reporter, onFailure, onRefusal } = this.#common;
    const retry = this.#sending.fail(error);
    reporter.retry(this.#whole.id, this.#batch.count - this.#batch.results.ended, retry);
    onFailure();
    if (retry.error.code === 'EVENTFERRY_REFUSES_ALL') onRefusal(retry.error);
  }

  #giveUp(error: EventferryError): void {
    const errorOf = this.#parts?.giveUp(() => error) ?? (() => error);
    if (!this.#batch.isOver) this.settle(this.#batch.count, errorOf);
  }

  #lastTaken(from: number, to: number, errorOf: ErrorOf | undefined): Uint8Array | undefined {
    for (let index = to - 1; index >= from; index--) {
      if (errorOf?.(index) === undefined && !this.#batch.dropped.has(index)) return this.#batch.copyOf(index);
    }
    return undefined;
  }
}

function answerOf(outcome: Outcome, batch: Batch, from: number, to: number): Answer {
  if (outcome.verdict === 'delivered') return acceptanceOf(outcome.rejections, outcome.status, batch, from, to);
  const { status, answer, rejections = [] } = outcome;
  // Word by word, so that smaller parts would be told the same.
  if (rejections.length > 0 && namesAll(rejections, batch.keptOf(from, to).length)) {
    return acceptanceOf(rejections, status, batch, from, to);
  }
  const error = new RejectedError(status, answer, outcome.advice);
  return outcome.verdict === 'split' ? { kind: 'split', error, isInDoubt: status === 400 } : { kind: 'lost', error };
}

/** Whether a collector names each message that it was sent: no gateway before it would, so it is the collector that refuses. */
const namesAll = (rejections: readonly Rejection[], count: number): boolean =>
  rejections.length === count &&
  new Set(rejections.map(({ index }) => index)).size === count &&
  rejections.every(({ index }) => index < count);

function acceptanceOf(
  rejections: readonly Rejection[],
  status: number,
  batch: Batch,
  from: number,
  to: number,
): Answer {
  if (rejections.length === 0) return { kind: 'taken', errorOf: undefined };
  const sent = batch.keptOf(from, to);
  const errors = new Map(rejections.map(({ index, reason }) => [sent[index], new RejectedError(status, reason)]));
  const isAboutOthers = rejections.some(({ index }) => index >= sent.length);
  if (!isAboutOthers) return { kind: 'taken', errorOf: (index) => errors.get(index) };
  // It refuses something and does not say what: as with an answer that cannot be read.
  const reasons = rejections.map(({ reason }) => reason);
  return { kind: 'split', error: new RejectedError(status, reasons[0] ?? ''), isInDoubt: false };
}

/** A reason with a code, whatever was thrown. */
const lossOf = (error: unknown): EventferryError =>
  isInstance(error, EventferryError) ? error : new ConnectionError(describeThrown(error), { cause: error });
