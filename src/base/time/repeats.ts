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
      this.#tell(kind, messages, '', write);
      return;
    }
    counted.messages += messages;
    counted.write = write;
  }

  /** Reports what has been counted so far, and starts again. */
  tellRest(): void {
    for (const [kind, { messages, write, cancelTimer }] of [...this.#counted]) {
      cancelTimer();
      this.#counted.delete(kind);
      if (messages > 0) write(messages, ' more');
    }
  }

  /** Writes a line, and counts the messages of its kind that follow within a minute. */
  #tell(kind: string, messages: number, more: string, write: WriteLine): void {
    const cancelTimer = this.#clock.after(COUNTED_MS, () => {
      const counted = this.#counted.get(kind);
      this.#counted.delete(kind);
      if (counted !== undefined && counted.messages > 0) this.#tell(kind, counted.messages, ' more', counted.write);
    });
    this.#counted.set(kind, { messages: 0, write, cancelTimer });
    write(messages, more);
  }
}

/** Describes what listeners threw, for the line that a `WriteLine` writes. */
export const textOfFailures = (failures: number, more: string, error: unknown): string =>
  `${more === '' ? 'a listener failed' : `listeners failed ${failures}${more} times, the last`}: ${describeThrown(error)}`;
