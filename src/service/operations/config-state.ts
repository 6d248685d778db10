/** A file may have hundreds of mistakes, and who reads the first few knows what to look at. */
const MOST_TOLD = 3;

/** How the configuration came to be what it is. */
export class ConfigState {
  /** How often another was taken, and how often one was refused. */
  good = 0;
  bad = 0;
  /** Why the one that was read last was refused: of many mistakes the first, then how many more. The log has all. */
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
