import { describeThrown } from '../errors/describe-thrown.js';
import type { Clock } from './clock.js';

/** How long repeats are counted before they are reported, in milliseconds. */
const COUNTED_MS = 60_000;

/** Writes a log line about a number of messages. `more` is `' more'` if earlier ones were already reported. */
export type WriteLine = (messages: number, more: string) => void;

interface RepeatCount {
  /** The number of repeats since the last line. */
  messages: number;
  /** The function that writes the line for the last repeat. */
  write: WriteLine;
  readonly cancelTimer: () => void;
}

/** Keeps a log readable when everything fails: logs the first of each kind at once, and a count of later ones once a minute. */
export class Repeats {
  readonly #clock: Clock;
  readonly #counted = new Map<string, RepeatCount>();

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

  /** Reports what has been counted so far, and starts again. */
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

/** Describes what listeners threw, for the line that a `WriteLine` writes. */
export const textOfFailures = (failures: number, more: string, error: unknown): string =>
  `${more === '' ? 'a listener failed' : `listeners failed ${failures}${more} times, the last`}: ${describeThrown(error)}`;
