import { describeThrown } from '../../base/errors/describe-thrown.js';
import { ConnectionError, EventferryError, RejectedError } from '../../base/errors/errors.js';
import { isInstance } from '../../base/errors/is-instance.js';
import type { Attempt, Post } from '../transport/batch-sender.js';
import type { Rejection } from '../transport/rejections.js';
import type { Outcome } from '../transport/requester.js';
import type { Acceptance } from './acceptance.js';
import type { Batch } from './batch.js';
import type { BatchParts, PartSteps } from './batch-parts.js';
import type { Answer } from './bisection.js';
import type { ErrorOf } from './results.js';

export interface BatchSteps extends PartSteps {
  /** Makes an attempt, as often as it takes. */
  send(attempt: Attempt): Promise<void>;
  /** Takes a refused batch apart. */
  takeApart(...parts: ConstructorParameters<typeof BatchParts>): BatchParts | Promise<BatchParts>;
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
  /** There are some as soon as the batch has to be taken apart. */
  #parts: BatchParts | undefined;

  constructor(batch: Batch, acceptance: Acceptance, steps: BatchSteps) {
    this.#batch = batch;
    this.#acceptance = acceptance;
    this.#steps = steps;
  }

  /** @throws RefusesAllError, and what `post` throws */
  attempt(post: Post): Promise<void> {
    return this.#parts === undefined ? this.#tryWhole(post) : this.#parts.send(post);
  }

  giveUp(error: EventferryError): void {
    const errorOf = this.#parts?.giveUp(() => error) ?? (() => error);
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
      this.#parts = await this.#steps.takeApart(this.#batch, this.#acceptance, this.#steps, this.#judge);
      await this.#parts.sendAfter(answer, post);
    } else {
      this.#steps.settle(count, answer.kind === 'taken' ? answer.errorOf : () => answer.error);
    }
  }

  /** Judges an answer: its result for the messages, and for the collector. */
  readonly #judge = (outcome: Outcome, from: number, to: number): Answer => {
    const answer = answerOf(outcome, this.#batch, from, to);
    if (answer.kind === 'taken') this.#acceptance.took(this.#lastTaken(from, to, answer.errorOf));
    return answer;
  };

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
