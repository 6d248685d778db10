/** Each place is a number that JSON and a double hold exactly. */
export const PLACES_A_MS = 1_024;

/**
 * Gives what comes in its place in line: the time, with a fraction that counts what came within the same millisecond. A place is always
 * behind the one before it, also after the clock was set back.
 */
export class Places {
  #last: number;

  /** @param last the last place that is taken */
  constructor(last = 0) {
    this.#last = last;
  }

  /** @param now in ms since 1970, a whole number */
  next(now: number): number {
    this.#last = Math.max(now, this.#last + 1 / PLACES_A_MS);
    return this.#last;
  }
}
