/** Counts the events of each second of the last minute. */
export class Rates {
  readonly #seconds: number;
  readonly #counts = new Map<number, number>();

  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  /** Adds a number of events at a time, in ms since 1970. */
  add(ms: number, events: number): void {
    const second = Math.floor(ms / 1000);
    this.#counts.set(second, (this.#counts.get(second) ?? 0) + events);
  }

  /** Returns the number of events in each second, oldest first. The current second is left out, because it is not over. */
  until(nowMs: number): readonly number[] {
    const present = Math.floor(nowMs / 1000);
    for (const second of this.#counts.keys()) if (second < present - this.#seconds) this.#counts.delete(second);
    return Array.from({ length: this.#seconds }, (_, index) => this.#counts.get(present - this.#seconds + index) ?? 0);
  }
}
