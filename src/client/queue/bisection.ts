import type { Acceptance, Answer } from './acceptance.js';
import type { ErrorOf } from './receipt.js';

/** The next step in splitting a batch. */
export type BisectionStep =
  /** Send the messages from `from` up to but not including `to`. */
  | { readonly kind: 'send'; readonly from: number; readonly to: number }
  /** Test with another message whether the collector accepts any. */
  | { readonly kind: 'control' };

interface Part {
  readonly from: number;
  readonly to: number;
  /** `held` means one message that was refused alone. It is lost as soon as the collector accepts another one. */
  readonly state: 'open' | 'held' | 'ended';
  /** The error of a message that has ended or is held. */
  readonly errorOf?: ErrorOf | undefined;
}

const CONTROL: BisectionStep = { kind: 'control' };

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
 * There are two exceptions without a control. At the end of a batch of which something was accepted, fewer than eight held
 * messages are lost. And a batch of one message is lost at once unless the collector has refused eight in a row: a program that
 * sends messages one by one must learn what is wrong.
 */
export class Bisection {
  readonly #acceptance: Acceptance;
  readonly #count: number;
  /** The parts of the batch in order and without gaps, from the first unsettled message on. */
  #parts: Part[];
  /** The number of held messages. */
  #held = 0;
  #patience = PATIENCE;
  /** The number of messages that were tried out of order so far. It determines the position of the next one. */
  #probes = 0;
  /** The value of `Acceptance.taken` when the first held message was refused. */
  #seen = 0;
  #hasTaken = false;

  constructor(count: number, acceptance: Acceptance) {
    this.#count = count;
    this.#acceptance = acceptance;
    this.#parts = [{ from: 0, to: count, state: 'open' }];
  }

  /** Returns the next step; undefined if every message has ended. */
  next(): BisectionStep | undefined {
    this.#heedOthers();
    const first = this.#parts.find(({ state }) => state === 'open');
    if (first === undefined) return this.#concludes() ? undefined : CONTROL;
    if (this.#held < this.#patience) return { kind: 'send', from: first.from, to: first.to };
    if (this.#held < this.#patience + PROBES) return this.#probe();
    return CONTROL;
  }

  /** Records the result for the messages that `next` said to send. */
  note(from: number, to: number, answer: Answer): void {
    const part = this.#cutOut(from, to);
    if (answer.kind === 'taken') {
      this.#replace(part, { from, to, state: 'ended', errorOf: answer.errorOf });
      this.#hasTaken = true;
      this.#patience = Math.max(this.#patience, PATIENCE);
      this.#believe();
    } else if (answer.kind === 'lost') {
      this.#replace(part, { from, to, state: 'ended', errorOf: () => answer.error });
    } else {
      this.#refuse(part, answer);
    }
  }

  /** Records that the collector accepted the control, so the held messages are bad. */
  noteControlTaken(): void {
    // If all messages are bad, this need not be proven again for every few of them.
    this.#patience = Math.max(this.#patience, PATIENCE) * 2;
    this.#believe();
  }

  /** Called when the batch has to wait. The held messages may be fine, so the whole is tried first, and then some alone. */
  startOver(): void {
    const parts: Part[] = [];
    for (const part of this.#parts) {
      const last = parts.at(-1);
      if (part.state === 'ended') parts.push(part);
      else if (last?.state === 'open') parts[parts.length - 1] = { ...last, to: part.to };
      else parts.push({ from: part.from, to: part.to, state: 'open' });
    }
    this.#parts = parts;
    this.#held = 0;
    this.#hasTaken = false;
    this.#patience = 1;
  }

  /** Removes the ended messages at the front. Returns where they end and their results; undefined if there are none. */
  takeEnded(): { readonly to: number; readonly errorOf: ErrorOf | undefined } | undefined {
    const open = this.#parts.findIndex(({ state }) => state !== 'ended');
    const ended = this.#parts.splice(0, open === -1 ? this.#parts.length : open);
    const to = ended.at(-1)?.to;
    if (to === undefined) return undefined;
    const hasErrors = ended.some(({ errorOf }) => errorOf !== undefined);
    return { to, errorOf: hasErrors ? (index) => partAt(ended, index)?.errorOf?.(index) : undefined };
  }

  /** Returns how every message ends if no more is sent: ended ones keep their result, and the others get that of `errorOf`. */
  giveUp(errorOf: ErrorOf): ErrorOf {
    const parts = this.#parts;
    return (index) => {
      const part = partAt(parts, index);
      return part?.state === 'ended' ? part.errorOf?.(index) : errorOf(index);
    };
  }

  #refuse(part: Part, { error, isInDoubt }: Answer & { kind: 'split' }): void {
    const { from, to } = part;
    const errorOf: ErrorOf = () => error;
    if (to - from > 1) {
      const middle = from + Math.ceil((to - from) / 2);
      this.#replace(part, { from, to: middle, state: 'open' }, { from: middle, to, state: 'open' });
      return;
    }
    if (!isInDoubt) {
      this.#replace(part, { from, to, state: 'ended', errorOf });
      return;
    }
    // Messages that were accepted before this refusal prove nothing about it.
    this.#heedOthers();
    const isLostAtOnce = this.#count === 1 && this.#acceptance.refusedInARow < PATIENCE;
    this.#acceptance.refusedAlone();
    this.#replace(part, { from, to, state: isLostAtOnce ? 'ended' : 'held', errorOf });
    if (!isLostAtOnce && this.#held++ === 0) this.#seen = this.#acceptance.taken;
  }

  /** Checks whether a message of another batch was accepted after those held here were refused. */
  #heedOthers(): void {
    if (this.#held > 0 && this.#acceptance.taken !== this.#seen) this.#believe();
  }

  /** Returns true if nothing is left to prove, now that every message has been tried. */
  #concludes(): boolean {
    if (this.#held === 0) return true;
    if (!this.#hasTaken || this.#held >= PATIENCE) return false;
    this.#believe();
    return true;
  }

  /** Loses the held messages, because the collector is known to accept others. */
  #believe(): void {
    if (this.#held > 0)
      this.#parts = this.#parts.map((part) => (part.state === 'held' ? { ...part, state: 'ended' } : part));
    this.#held = 0;
  }

  /** Tries one message alone, each time far from those tried before. */
  #probe(): BisectionStep {
    const open = this.#parts.filter(({ state }) => state === 'open');
    const messages = open.reduce((sum, { from, to }) => sum + to - from, 0);
    let place = Math.floor(((++this.#probes * GOLDEN_RATIO) % 1) * messages);
    for (const { from, to } of open) {
      if (place < to - from) return { kind: 'send', from: from + place, to: from + place + 1 };
      place -= to - from;
    }
    return CONTROL;
  }

  /** Splits the part around these open messages so that they get a part of their own, and returns that one. */
  #cutOut(from: number, to: number): Part {
    const exact: Part = { from, to, state: 'open' };
    const around = this.#parts.find((part) => part.from <= from && to <= part.to);
    if (around === undefined || (around.from === from && around.to === to)) return around ?? exact;
    const rest: Part[] = [
      { from: around.from, to: from, state: 'open' },
      exact,
      { from: to, to: around.to, state: 'open' },
    ];
    this.#replace(around, ...rest.filter((part) => part.from < part.to));
    return exact;
  }

  #replace(part: Part, ...by: readonly Part[]): void {
    this.#parts.splice(this.#parts.indexOf(part), 1, ...by);
  }
}

const partAt = (parts: readonly Part[], index: number): Part | undefined =>
  parts.find(({ from, to }) => from <= index && index < to);
