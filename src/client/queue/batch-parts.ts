import { ForgottenError, RefusesAllError, type RejectedError } from '../../base/errors/errors.js';
import type { Outcome } from '../transport/response-outcome.js';
import type { Acceptance, Answer } from './acceptance.js';
import type { Batch } from './batch.js';
import { Bisection } from './bisection.js';
import type { ErrorOf } from './receipt.js';

/** The parts need these steps of their batch, which is on its way. */
export interface PartSteps {
  /** The limit for the messages of the next request, in bytes. A request carries at least one message, however long. */
  readonly mostBytes: number;
  /** Resolves as soon as sending is not paused; undefined when it is not. */
  pass(): Promise<void> | undefined;
  /** A request is about to carry the batch; returns its `sentAt`. */
  leave(): string;
  /** Sends one request. Rejects when there is no final answer. */
  post(body: Uint8Array<ArrayBuffer>): Promise<Outcome>;
  /** A message that waits behind this batch, if there is one. */
  newestWaiting(): Uint8Array | undefined;
  /** Takes note that all messages before `to` have ended. */
  settle(to: number, errorOf?: ErrorOf): void;
}

/** A batch that was refused as a whole, or is too large for the way to the collector, on its way in parts. */
export class BatchParts {
  readonly #batch: Batch;
  readonly #acceptance: Acceptance;
  readonly #steps: PartSteps;
  readonly #bisection: Bisection;
  #lastRefusal: RejectedError | undefined;

  constructor(batch: Batch, acceptance: Acceptance, steps: PartSteps) {
    this.#batch = batch;
    this.#acceptance = acceptance;
    this.#steps = steps;
    this.#bisection = new Bisection(batch.count, acceptance);
  }

  /** @param answer to the whole */
  sendAfter(answer: Answer): Promise<void> {
    this.#note(0, this.#batch.count, answer);
    return this.send();
  }

  /** @throws RefusesAllError, and what `post` throws */
  async send(): Promise<void> {
    const bisection = this.#bisection;
    for (let step = bisection.next(); step !== undefined && !this.#batch.isOver; step = bisection.next()) {
      if (step.kind === 'send') {
        await this.#send(step.from, this.#fitting(step.from, step.to));
      } else if (await this.#takesControl()) {
        bisection.noteControlTaken();
      } else {
        this.#wait();
      }
    }
    this.#settleEnded();
  }

  /** Up to where messages from `from` on fit in the next request, at least one of them. */
  #fitting(from: number, to: number): number {
    const { mostBytes } = this.#steps;
    let end = to;
    for (let bytes = 0; end - from > 1; end = from + Math.max(1, Math.floor(((end - from) * mostBytes) / bytes))) {
      bytes = this.#batch.bytesOf(from, end);
      if (bytes <= mostBytes) break;
    }
    return end;
  }

  /** @throws what `post` throws */
  async #send(from: number, to: number): Promise<void> {
    try {
      await this.#steps.pass();
      // They may have been dropped while they waited.
      if (this.#batch.isDropped(from, to)) throw new ForgottenError();
      const outcome = await this.#steps.post(this.#batch.body(from, to, this.#steps.leave()));
      if (this.#batch.isOver) return;
      this.#note(from, to, this.#acceptance.judge(outcome, this.#batch, from, to));
    } catch (error) {
      if (!(error instanceof ForgottenError)) throw error;
      this.#note(from, to, { kind: 'lost', error });
    }
    this.#settleEnded();
  }

  /** Says how every message ends when no more is sent: those that have ended as they have, and the others with `errorOf`. */
  giveUp(errorOf: ErrorOf): ErrorOf {
    return this.#bisection.giveUp(errorOf);
  }

  #note(from: number, to: number, answer: Answer): void {
    if (answer.kind === 'split') this.#lastRefusal = answer.error;
    this.#bisection.note(from, to, answer);
  }

  /**
   * Sends a message alone that has no part in this batch: the one that the collector took last, or, when it never took any,
   * one that waits. Either is sent once more than it need be, and a collector that works drops the second by its `messageId`.
   */
  async #takesControl(): Promise<boolean> {
    const control = this.#acceptance.lastTaken ?? this.#steps.newestWaiting();
    if (control === undefined) return false;
    await this.#steps.pass();
    const { status } = await this.#steps.post(this.#batch.bodyAround(control, this.#steps.leave()));
    if (status >= 300) return false;
    this.#acceptance.took(control);
    return true;
  }

  #wait(): never {
    this.#bisection.startOver();
    const { status = 400, answer = '' } = this.#lastRefusal ?? {};
    throw new RefusesAllError(status, answer);
  }

  #settleEnded(): void {
    const ended = this.#bisection.takeEnded();
    if (ended !== undefined && !this.#batch.isOver) this.#steps.settle(ended.to, ended.errorOf);
  }
}
