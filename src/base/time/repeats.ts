import { describeThrown } from '../errors/describe-thrown.js';
import type { Clock } from './clock.js';

/** Repeats are counted for so long before they are reported. */
const COUNTED_MS = 60_000;

/** Writes the line of so many messages. `more` is `' more'` where earlier ones have been told. */
export type WriteLine = (messages: number, more: string) => void;

interface Counted {
  /** The number of repeats since the last line. */
  messages: number;
  /** Tells them as the last of them would be told. */
  write: WriteLine;
  readonly cancelTimer: () => void;
}

/** Keeps a log readable when everything fails: the first of each kind is logged at once, and those that follow together, once a minute. */
export class Repeats {
  readonly #clock: Clock;
  readonly #counted = new Map<string, Counted>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(kind: string, messages: number, write: WriteLine): void {
    const counted = this.#counted.get(kind);
    if (counted === undefined) {
      this.#begin(kind, write);
      write(messages, '');
      return;
    }
    counted.messages += messages;
    counted.write = write;
  }

  /** Tells what has been counted, and begins anew. */
  tellRest(): void {
    for (const [kind, counted] of [...this.#counted]) {
      counted.cancelTimer();
      this.#counted.delete(kind);
      if (counted.messages > 0) counted.write(counted.messages, ' more');
    }
  }

  #begin(kind: string, write: WriteLine): void {
    const cancelTimer = this.#clock.after(COUNTED_MS, () => this.#endMinute(kind));
    this.#counted.set(kind, { messages: 0, write, cancelTimer });
  }

  #endMinute(kind: string): void {
    const { messages = 0, write } = this.#counted.get(kind) ?? {};
    this.#counted.delete(kind);
    if (messages === 0 || write === undefined) return;
    this.#begin(kind, write);
    write(messages, ' more');
  }
}

/** Describes what listeners threw, in the line that a `WriteLine` of `Repeats` writes. */
export const textOfFailures = (failures: number, more: string, error: unknown): string =>
  `${more === '' ? 'a listener failed' : `listeners failed ${failures}${more} times, the last`}: ${describeThrown(error)}`;
