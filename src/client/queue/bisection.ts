import type { Acceptance, Answer } from './acceptance.js';
import type { ErrorOf } from './receipt.js';

/** The next step with a batch. */
export type Step =
  /** Send these messages, from `from` up to, and without, `to`. */
  | { readonly kind: 'send'; readonly from: number; readonly to: number }
  /** Find out with another message whether the collector takes any. */
  | { readonly kind: 'control' };

interface Part {
  readonly from: number;
  readonly to: number;
  /** `held`: one message, refused alone; it is lost as soon as the collector is seen to take another. */
  readonly state: 'open' | 'held' | 'ended';
  /** The error of a message that has ended or is held. */
  readonly errorOf?: ErrorOf | undefined;
}

const CONTROL: Step = { kind: 'control' };

/** The collector may refuse so many messages in a row alone before the client asks whether it takes any. */
const PATIENCE = 8;
/** The number of messages that are then tried alone elsewhere in the batch. */
const PROBES = 8;
/** Multiples of this spread evenly between 0 and 1, however many there are. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

/**
 * Takes a refused batch apart, until each message has ended: the whole, its halves, their halves, in the order of the calls.
 * So k bad messages of n cost about 2 · k · log2(n / k) requests, however many they are.
 *
 * A message that is refused alone is lost only on evidence that the collector takes messages: **another one was taken after
 * it**. Until then it is held. When eight in a row are held, eight more are tried alone, spread over the batch. When they are
 * refused too, or nothing else is left, a message from outside the batch is sent alone (the control). When that is refused, or
 * there is none, the batch waits, and after the pause the whole is tried first. So a collector that refuses everything, from
 * whatever moment on, costs no message, and a few requests for each pause.
 *
 * Two exceptions spare the control. At the end of a batch of which something was taken, fewer than eight held are lost. And a
 * batch of one message is lost at once, until eight in a row were: a program that sends one by one must learn what is wrong.
 */
export class Bisection {
  readonly #acceptance: Acceptance;
  readonly #count: number;
  /** The parts are in order and without gaps, from the first message that is not settled. */
  #parts: Part[];
  /** The number of messages that are held. */
  #held = 0;
  #patience = PATIENCE;
  /** The number of messages that were ever tried out of order, which tells where the next stands. */
  #probes = 0;
  /** The `Acceptance.taken` of the moment at which the first of them was refused. */
  #seen = 0;
  #hasTaken = false;

  constructor(count: number, acceptance: Acceptance) {
    this.#count = count;
    this.#acceptance = acceptance;
    this.#parts = [{ from: 0, to: count, state: 'open' }];
  }

  /** Undefined when every message has ended. */
  next(): Step | undefined {
    this.#heedOthers();
    const first = this.#parts.find(({ state }) => state === 'open');
    if (first === undefined) return this.#concludes() ? undefined : CONTROL;
    if (this.#held < this.#patience) return { kind: 'send', from: first.from, to: first.to };
    if (this.#held < this.#patience + PROBES) return this.#probe();
    return CONTROL;
  }

  /** Takes in what became of the messages that `next` said to send. */
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

  /** The collector took the control: the held messages are bad. */
  noteControlTaken(): void {
    // When all are bad it need not be proven for every few of them.
    this.#patience = Math.max(this.#patience, PATIENCE) * 2;
    this.#believe();
  }

  /** The batch waits: the held messages may not be bad at all. Afterwards the whole is tried first, and then some alone. */
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

  /** Takes out the messages at the front that have ended: up to where, and how. Undefined when there are none. */
  takeEnded(): { readonly to: number; readonly errorOf: ErrorOf | undefined } | undefined {
    const open = this.#parts.findIndex(({ state }) => state !== 'ended');
    const ended = this.#parts.splice(0, open === -1 ? this.#parts.length : open);
    const to = ended.at(-1)?.to;
    if (to === undefined) return undefined;
    const hasErrors = ended.some(({ errorOf }) => errorOf !== undefined);
    return { to, errorOf: hasErrors ? (index) => partAt(ended, index)?.errorOf?.(index) : undefined };
  }

  /** Says how every message ends when no more is sent: those that have ended as they have, and the others with `errorOf`. */
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
    // Messages taken before this one was refused say nothing about it.
    this.#heedOthers();
    const isLostAtOnce = this.#count === 1 && this.#acceptance.refusedInARow < PATIENCE;
    this.#acceptance.refusedAlone();
    this.#replace(part, { from, to, state: isLostAtOnce ? 'ended' : 'held', errorOf });
    if (!isLostAtOnce && this.#held++ === 0) this.#seen = this.#acceptance.taken;
  }

  /** A message of another batch may have been taken after those held here were refused. */
  #heedOthers(): void {
    if (this.#held > 0 && this.#acceptance.taken !== this.#seen) this.#believe();
  }

  /** Says whether nothing is left to be proven, now that every message has been tried. */
  #concludes(): boolean {
    if (this.#held === 0) return true;
    if (!this.#hasTaken || this.#held >= PATIENCE) return false;
    this.#believe();
    return true;
  }

  /** The collector takes messages, so those it refused alone are bad. */
  #believe(): void {
    if (this.#held > 0)
      this.#parts = this.#parts.map((part) => (part.state === 'held' ? { ...part, state: 'ended' } : part));
    this.#held = 0;
  }

  /** Tries one message alone, each time far from those tried before. */
  #probe(): Step {
    const open = this.#parts.filter(({ state }) => state === 'open');
    const messages = open.reduce((sum, { from, to }) => sum + to - from, 0);
    let place = Math.floor(((++this.#probes * GOLDEN_RATIO) % 1) * messages);
    for (const { from, to } of open) {
      if (place < to - from) return { kind: 'send', from: from + place, to: from + place + 1 };
      place -= to - from;
    }
    return CONTROL;
  }

  /** The part with just these messages, which are open. */
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
