import { describeThrown } from '../../describe-thrown.js';
import { ConnectionError, EventferryError, RefusesAllError, RejectedError } from '../../errors.js';
import type { Attempt, Post } from '../transport/batch-sender.js';
import { adviceOn } from '../transport/explain.js';
import type { Rejection } from '../transport/rejections.js';
import type { Outcome } from '../transport/requester.js';
import type { Acceptance } from './acceptance.js';
import type { Batch } from './batch.js';
import type { Answer, Bisection } from './bisection.js';
import type { ErrorOf } from './results.js';

export interface BatchSteps {
  /** Makes an attempt, as often as it takes. */
  send(attempt: Attempt): Promise<void>;
  /** The body of one request with the messages from `from` up to, and without, `to`. */
  body(from: number, to: number, isRepetition: boolean): Uint8Array<ArrayBuffer>;
  /** The body of one request with a message of another batch. */
  bodyAround(message: Uint8Array, isRepetition: boolean): Uint8Array<ArrayBuffer>;
  /** A message that waits behind this batch, if there is one. */
  newestWaiting(): Uint8Array | undefined;
  /** Takes a refused batch of so many messages apart. */
  bisect(count: number, acceptance: Acceptance): Bisection | Promise<Bisection>;
  /** Takes note that all messages before `to` have ended. */
  settle(to: number, errorOf?: ErrorOf): void;
}

/** Sends a batch until each of its messages has ended. Never rejects. */
export function sendBatch(batch: Batch, acceptance: Acceptance, steps: BatchSteps): Promise<void> {
  const delivery = new BatchSending(batch, acceptance, steps);
  return steps.send((post) => delivery.attempt(post)).catch((error: unknown) => delivery.giveUp(lossOf(error)));
}

/** One batch on its way. */
class BatchSending {
  readonly #batch: Batch;
  readonly #acceptance: Acceptance;
  readonly #steps: BatchSteps;
  /** There is one as soon as the batch has to be taken apart. */
  #bisection: Bisection | undefined;
  #lastRefusal: RejectedError | undefined;

  constructor(batch: Batch, acceptance: Acceptance, steps: BatchSteps) {
    this.#batch = batch;
    this.#acceptance = acceptance;
    this.#steps = steps;
  }

  /** @throws RefusesAllError, and what `post` throws */
  attempt(post: Post): Promise<void> {
    return this.#bisection === undefined ? this.#tryWhole(post) : this.#tryParts(this.#bisection, post);
  }

  giveUp(error: EventferryError): void {
    const errorOf = this.#bisection?.giveUp(() => error) ?? (() => error);
    if (!this.#batch.isOver) this.#steps.settle(this.#batch.count, errorOf);
  }

  /** Nearly always all there is to do, and so done with little. */
  async #tryWhole(post: Post): Promise<void> {
    const { count } = this.#batch;
    const outcome = await post((isRepetition) => this.#steps.body(0, count, isRepetition));
    // The process may have given up on the batch meanwhile.
    if (this.#batch.isOver) return;
    const answer = this.#judge(outcome, 0, count);
    if (answer.kind === 'split') {
      const bisection = await this.#steps.bisect(count, this.#acceptance);
      this.#bisection = bisection;
      bisection.note(0, count, answer);
      await this.#tryParts(bisection, post);
    } else {
      this.#steps.settle(count, answer.kind === 'taken' ? answer.errorOf : () => answer.error);
    }
  }

  async #tryParts(bisection: Bisection, post: Post): Promise<void> {
    for (let step = bisection.next(); step !== undefined && !this.#batch.isOver; step = bisection.next()) {
      if (step.kind === 'send') {
        const { from, to } = step;
        const outcome = await post((isRepetition) => this.#steps.body(from, to, isRepetition));
        if (this.#batch.isOver) return;
        bisection.note(from, to, this.#judge(outcome, from, to));
        this.#settleEnded(bisection);
      } else if (await this.#takesControl(post)) {
        bisection.noteControlTaken();
      } else {
        this.#wait(bisection);
      }
    }
    this.#settleEnded(bisection);
  }

  /** Judges an answer: its result for the messages, and for the collector. */
  #judge(outcome: Outcome, from: number, to: number): Answer {
    const answer = answerOf(outcome, from, to);
    if (answer.kind === 'taken') this.#acceptance.took(this.#lastTaken(from, to, answer.errorOf));
    if (answer.kind === 'split') this.#lastRefusal = answer.error;
    return answer;
  }

  /**
   * Sends a message alone that has no part in this batch: the one that the collector took last, or, when it never took any,
   * one that waits. Either is sent once more than it need be, and a collector that works drops the second by its `messageId`.
   */
  async #takesControl(post: Post): Promise<boolean> {
    const control = this.#acceptance.lastTaken ?? this.#steps.newestWaiting();
    if (control === undefined) return false;
    const { status } = await post((isRepetition) => this.#steps.bodyAround(control, isRepetition));
    if (status >= 300) return false;
    this.#acceptance.took(control);
    return true;
  }

  #wait(bisection: Bisection): never {
    bisection.startOver();
    const { status = 400, answer = '' } = this.#lastRefusal ?? {};
    throw new RefusesAllError(status, answer);
  }

  #settleEnded(bisection: Bisection): void {
    const ended = bisection.takeEnded();
    if (ended !== undefined && !this.#batch.isOver) this.#steps.settle(ended.to, ended.errorOf);
  }

  #lastTaken(from: number, to: number, errorOf: ErrorOf | undefined): Uint8Array | undefined {
    for (let index = to - 1; index >= from; index--) {
      if (errorOf?.(index) === undefined) return this.#batch.copyOf(index);
    }
    return undefined;
  }
}

function answerOf(outcome: Outcome, from: number, to: number): Answer {
  if (outcome.verdict === 'delivered') return acceptanceOf(outcome.rejections, outcome.status, from, to);
  const { status, answer, rejections = [] } = outcome;
  // Word by word, so that smaller parts would be told the same.
  if (namesAll(rejections, to - from)) return acceptanceOf(rejections, status, from, to);
  const error = new RejectedError(status, answer, adviceOn(outcome));
  return outcome.verdict === 'split' ? { kind: 'split', error, isInDoubt: status === 400 } : { kind: 'lost', error };
}

/** Whether a collector names each message that it was sent: no gateway before it would, so it is the collector that refuses. */
const namesAll = (rejections: readonly Rejection[], count: number): boolean =>
  rejections.length === count &&
  new Set(rejections.map(({ index }) => index)).size === count &&
  rejections.every(({ index }) => index < count);

function acceptanceOf(rejections: readonly Rejection[], status: number, from: number, to: number): Answer {
  if (rejections.length === 0) return { kind: 'taken', errorOf: undefined };
  const errors = new Map(rejections.map(({ index, reason }) => [from + index, new RejectedError(status, reason)]));
  const isAboutOthers = rejections.some(({ index }) => index >= to - from);
  if (!isAboutOthers) return { kind: 'taken', errorOf: (index) => errors.get(index) };
  // It refuses something and does not say what: as with an answer that cannot be read.
  const reasons = rejections.map(({ reason }) => reason);
  return { kind: 'split', error: new RejectedError(status, reasons[0] ?? ''), isInDoubt: false };
}

/** A reason with a code, whatever was thrown. */
const lossOf = (error: unknown): EventferryError =>
  error instanceof EventferryError ? error : new ConnectionError(describeThrown(error), { cause: error });
