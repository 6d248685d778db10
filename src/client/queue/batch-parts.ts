import { ForgottenError } from '../../base/errors/errors.js';
import type { Outcome } from '../transport/response-outcome.js';
import type { Acceptance, BatchAnswer } from './acceptance.js';
import type { Batch } from './batch.js';
import { Bisection, type MessageRange } from './bisection.js';
import type { ErrorOf } from './receipt.js';

/** The steps of the delivery that its parts use. */
export interface PartSteps {
  /** The limit for the messages of the next request, in bytes. A request carries at least one message, however large. */
  readonly mostBytes: number;
  /** Resolves as soon as sending is not paused; undefined if it is not paused. */
  pass(): Promise<void> | undefined;
  /** Called when a request is about to carry the batch. Returns its `sentAt`. */
  leave(): string;
  /** Sends one request. Rejects if there is no final response. */
  post(body: Uint8Array<ArrayBuffer>): Promise<Outcome>;
  /** Returns a message that waits behind this batch, if there is one. */
  newestWaiting(): Uint8Array | undefined;
  /** Records that all messages before `to` have ended. */
  settle(to: number, errorOf?: ErrorOf): void;
}

/** Sends a batch in parts, because it was refused as a whole or is too large for the network. */
export class BatchParts {
  readonly #batch: Batch;
  readonly #acceptance: Acceptance;
  readonly #steps: PartSteps;
  readonly #bisection: Bisection;

  constructor(batch: Batch, acceptance: Acceptance, steps: PartSteps) {
    this.#batch = batch;
    this.#acceptance = acceptance;
    this.#steps = steps;
    this.#bisection = new Bisection(batch.count, acceptance);
  }

  /** @param answer the result for the whole batch */
  sendAfter(answer: BatchAnswer): Promise<void> {
    this.#bisection.note({ from: 0, to: this.#batch.count }, answer);
    return this.send();
  }

  /** @throws RefusesAllError, and what `post` throws */
  async send(): Promise<void> {
    const bisection = this.#bisection;
    for (let step = bisection.next(); step !== undefined && !this.#batch.isOver; step = bisection.next()) {
      if (step !== 'control') {
        await this.#send({ from: step.from, to: this.#fitting(step) });
      } else if (await this.#takesControl()) {
        bisection.noteControlTaken();
      } else {
        throw bisection.startOver();
      }
    }
    this.#settleEnded();
  }

  /** Returns the end of those messages that fit in the next request; it includes at least one. */
  #fitting({ from, to }: MessageRange): number {
    const { mostBytes } = this.#steps;
    let end = to;
    for (let bytes = 0; end - from > 1; end = from + Math.max(1, Math.floor(((end - from) * mostBytes) / bytes))) {
      bytes = this.#batch.bytesOf(from, end);
      if (bytes <= mostBytes) break;
    }
    return end;
  }

  /** @throws what `post` throws */
  async #send(range: MessageRange): Promise<void> {
    const { from, to } = range;
    try {
      await this.#steps.pass();
      // The messages may have been dropped while they waited.
      if (this.#batch.isDropped(from, to)) throw new ForgottenError();
      const outcome = await this.#steps.post(this.#batch.body(from, to, this.#steps.leave()));
      if (this.#batch.isOver) return;
      this.#bisection.note(range, this.#acceptance.judge(outcome, this.#batch, from, to));
    } catch (error) {
      if (!(error instanceof ForgottenError)) throw error;
      this.#bisection.note(range, { kind: 'lost', error });
    }
    this.#settleEnded();
  }

  /** Returns how every message ends if no more is sent: ended ones keep their result, and the others get that of `errorOf`. */
  giveUp(errorOf: ErrorOf): ErrorOf {
    return this.#bisection.giveUp(errorOf);
  }

  /**
   * Sends one message from outside this batch alone: the last one that the collector accepted or, if it never accepted any, a
   * waiting one. Either is sent once more than necessary; a working collector drops the repetition by its `messageId`.
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

  #settleEnded(): void {
    const ended = this.#bisection.takeEnded();
    if (ended !== undefined && !this.#batch.isOver) this.#steps.settle(ended.to, ended.errorOf);
  }
}
