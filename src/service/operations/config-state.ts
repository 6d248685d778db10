/** A file may have hundreds of mistakes, and who reads the first few knows what to look at. */
const MOST_TOLD = 3;

/** Tells how the configuration came to be what it is. */
export class ConfigState {
  /** Counts how often another was taken, and how often one was refused. */
  good = 0;
  bad = 0;
  /** The reason why the one that was read last was refused: the first of its mistakes, and the number of the others. The log has all. */
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
    this.error = shortened(error);
  }
}

/** The first line says what of the others there is: one mistake each. */
function shortened(error: string): string {
  const [head = '', ...mistakes] = error.split('\n');
  const more = mistakes.length - MOST_TOLD;
  if (more <= 0) return error;
  return [head, ...mistakes.slice(0, MOST_TOLD), `  and ${more} more, in the log`].join('\n');
}
