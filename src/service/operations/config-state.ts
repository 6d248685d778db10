/** How the configuration came to be what it is. */
export class ConfigState {
  /** How often another was taken, and how often one was refused. */
  good = 0;
  bad = 0;
  /** Why the one that was read last was refused. */
  error: string | undefined;
  loadedAt: number;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
    this.loadedAt = now();
  }

  taken(): void {
    this.good++;
    this.loadedAt = this.#now();
    this.error = undefined;
  }

  refused(error: string): void {
    this.bad++;
    this.error = error;
  }
}
