/** How the configuration came to be what it is. */
export class ConfigState {
  readonly #now: () => number;
  #loadedAt: number;
  #good = 0;
  #bad = 0;
  #error: string | undefined;

  constructor(now: () => number) {
    this.#now = now;
    this.#loadedAt = now();
  }

  taken(): void {
    this.#good++;
    this.#loadedAt = this.#now();
    this.#error = undefined;
  }

  /** The one that was read last could not be taken: its mistakes are of no use once another was. */
  refused(error: string): void {
    this.#bad++;
    this.#error = error;
  }

  get loadedAt(): number {
    return this.#loadedAt;
  }

  get error(): string | undefined {
    return this.#error;
  }

  counts(): { good: number; bad: number; isGood: boolean; loadedAt: number } {
    return { good: this.#good, bad: this.#bad, isGood: this.#error === undefined, loadedAt: this.#loadedAt };
  }
}
