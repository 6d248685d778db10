import { type EventferryError, RefusesAllError, type RejectedError } from '../../base/errors/errors.js';
import type { Acceptance, BatchAnswer } from './acceptance.js';
import type { ErrorOf } from './receipt.js';

/** Messages of a batch: from `from` up to but not including `to`. */
export interface MessageRange {
  readonly from: number;
  readonly to: number;
}

/** The next step in splitting a batch: send these messages, or test with another one whether the collector accepts any. */
export type BisectionStep = MessageRange | 'control';

/** How many messages in a row the collector may refuse alone before the client tests whether it accepts any. */
const PATIENCE = 8;
/** The number of messages that are then tried alone at other places in the batch. */
const PROBES = 8;
/** The fractional parts of its multiples are spread evenly between 0 and 1, however many there are. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

/**
 * Splits a refused batch until each message has ended: the whole, its halves, their halves, in the order of the calls. For k bad
 * messages among n this takes about 2 · k · log2(n / k) requests.
 *
 * A message that is refused alone is lost only if the collector is known to accept messages: **another one was accepted after
 * it**. Until then it is held. When eight in a row are held, eight more are tried alone, spread over the batch. If they are
 * refused too, or nothing else is left, a message from outside the batch is sent alone (the control). If that is refused, or
 * there is none, the batch waits, and after the pause the whole is tried first. So a collector that suddenly refuses everything
 * costs no message, and only a few requests for each pause.
 *
 * There are two exceptions without a control. At the end of a batch, fewer than eight held messages are lost if the collector
 * accepted something of the batch. And a batch of one message is lost at once unless the collector has refused eight in a row: a
 * program that sends messages one by one must learn what is wrong.
 */
export class Bisection {
  readonly #acceptance: Acceptance;
  readonly #count: number;
  /** The messages that are still to be tried, in order. */
  #open: MessageRange[];
  /** The messages that were refused alone, with the refusals. They are lost as soon as the collector accepts another one. */
  readonly #held = new Map<number, RejectedError>();
  /** The errors of the messages that are lost. */
  readonly #errors = new Map<number, EventferryError>();
  /** The end of the messages that `takeEnded` has returned. */
  #settled = 0;
  #lastRefusal: RejectedError | undefined;
  #patience = PATIENCE;
  /** The number of messages that were tried out of order so far. It determines the position of the next one. */
  #probes = 0;
  /** The value of `Acceptance.taken` when the first held message was refused. */
  #seen = 0;
  #hasTaken = false;

  constructor(count: number, acceptance: Acceptance) {
    this.#count = count;
    this.#acceptance = acceptance;
    this.#open = [{ from: 0, to: count }];
  }

  /** Returns the next step; undefined if every message has ended. */
  next(): BisectionStep | undefined {
    this.#heedOthers();
    const [first] = this.#open;
    if (first === undefined) return this.#concludes() ? undefined : 'control';
    if (this.#held.size < this.#patience) return first;
    return this.#held.size < this.#patience + PROBES ? this.#probe() : 'control';
  }

  /** Records the result for messages that `next` said to send, or for the first of them. */
  note(range: MessageRange, answer: BatchAnswer): void {
    const { from, to } = range;
    const isSplit = answer.kind === 'split';
    const middle = isSplit && to - from > 1 ? from + Math.ceil((to - from) / 2) : to;
    this.#replace(
      range,
      isSplit && middle < to
        ? [
            { from, to: middle },
            { from: middle, to },
          ]
        : [],
    );
    if (isSplit) {
      this.#lastRefusal = answer.error;
      if (middle === to) this.#refuse(from, answer);
      return;
    }
    const errorOf: ErrorOf | undefined = answer.kind === 'lost' ? () => answer.error : answer.errorOf;
    for (let index = from; index < to && errorOf !== undefined; index++) {
      const error = errorOf(index);
      if (error !== undefined) this.#errors.set(index, error);
    }
    if (answer.kind === 'lost') return;
    this.#hasTaken = true;
    this.#patience = Math.max(this.#patience, PATIENCE);
    this.#believe();
  }

  /** Records that the collector accepted the control, so the held messages are bad. */
  noteControlTaken(): void {
    // Each control doubles the limit, so that few controls are needed if all messages are bad.
    this.#patience = Math.max(this.#patience, PATIENCE) * 2;
    this.#believe();
  }

  /**
   * Called when the batch has to wait. The held messages may be fine, so the whole is tried first, and then some alone. Returns
   * the error of this attempt.
   */
  startOver(): RefusesAllError {
    const held = Array.from(this.#held.keys(), (index) => ({ from: index, to: index + 1 }));
    const waiting = [...this.#open, ...held].sort((one, other) => one.from - other.from);
    this.#open = [];
    for (const { from, to } of waiting) {
      const last = this.#open.at(-1);
      if (last?.to === from) this.#open.splice(-1, 1, { from: last.from, to });
      else this.#open.push({ from, to });
    }
    this.#held.clear();
    this.#hasTaken = false;
    this.#patience = 1;
    const { status = 400, answer = '' } = this.#lastRefusal ?? {};
    return new RefusesAllError(status, answer);
  }

  /**
   * Returns the end of the ended messages at the front, and their results; undefined if no more have ended since the last call.
   */
  takeEnded(): { readonly to: number; readonly errorOf: ErrorOf | undefined } | undefined {
    const to = Math.min(this.#open[0]?.from ?? this.#count, ...this.#held.keys());
    if (to === this.#settled) return undefined;
    this.#settled = to;
    return { to, errorOf: this.#errors.size === 0 ? undefined : (index) => this.#errors.get(index) };
  }

  /** Returns how every message ends if no more is sent: ended ones keep their result, and the others get that of `errorOf`. */
  giveUp(errorOf: ErrorOf): ErrorOf {
    const isWaiting = (index: number): boolean =>
      this.#held.has(index) || this.#open.some(({ from, to }) => from <= index && index < to);
    return (index) => (isWaiting(index) ? errorOf(index) : this.#errors.get(index));
  }

  /** Records that one message was refused alone. */
  #refuse(index: number, { error, isInDoubt }: BatchAnswer & { kind: 'split' }): void {
    if (!isInDoubt) {
      this.#errors.set(index, error);
      return;
    }
    // Messages that were accepted before this refusal prove nothing about it.
    this.#heedOthers();
    const isLostAtOnce = this.#count === 1 && this.#acceptance.refusedInARow < PATIENCE;
    this.#acceptance.refusedInARow++;
    if (this.#held.size === 0) this.#seen = this.#acceptance.taken;
    (isLostAtOnce ? this.#errors : this.#held).set(index, error);
  }

  /** Checks whether a message of another batch was accepted after those held here were refused. */
  #heedOthers(): void {
    if (this.#held.size > 0 && this.#acceptance.taken !== this.#seen) this.#believe();
  }

  /** Returns true if nothing is left to prove, now that every message has been tried. */
  #concludes(): boolean {
    if (this.#held.size === 0) return true;
    if (!this.#hasTaken || this.#held.size >= PATIENCE) return false;
    this.#believe();
    return true;
  }

  /** Loses the held messages, because the collector is known to accept others. */
  #believe(): void {
    for (const [index, error] of this.#held) this.#errors.set(index, error);
    this.#held.clear();
  }

  /** Tries one message alone, each time far from those tried before. */
  #probe(): BisectionStep {
    const messages = this.#open.reduce((sum, { from, to }) => sum + to - from, 0);
    let place = Math.floor(((++this.#probes * GOLDEN_RATIO) % 1) * messages);
    for (const { from, to } of this.#open) {
      if (place < to - from) return { from: from + place, to: from + place + 1 };
      place -= to - from;
    }
    return 'control';
  }

  /** Replaces open messages, which may be a part of an open range. */
  #replace({ from, to }: MessageRange, by: readonly MessageRange[]): void {
    const at = this.#open.findIndex((range) => range.from <= from && to <= range.to);
    const around = this.#open[at];
    if (around === undefined) return;
    const rest = [{ from: around.from, to: from }, ...by, { from: to, to: around.to }];
    this.#open.splice(at, 1, ...rest.filter((range) => range.from < range.to));
  }
}
