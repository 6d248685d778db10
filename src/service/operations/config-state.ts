/** The maximum number of mistakes in `error`. A file may have hundreds, and the first few show where to look. */
const MOST_TOLD = 3;

/** Records how often the configuration was loaded or refused, and the latest result. */
export class ConfigState {
  /** How many configurations were accepted (`good`) and refused (`bad`). */
  good = 0;
  bad = 0;
  /** Why the last configuration was refused: its first mistakes, and the number of the others, which are all in the log. */
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

/** Shortens an error text. Its first line is a heading, and each further line is one mistake. */
function shortened(error: string): string {
  const [head = '', ...mistakes] = error.split('\n');
  const more = mistakes.length - MOST_TOLD;
  if (more <= 0) return error;
  return [head, ...mistakes.slice(0, MOST_TOLD), `  and ${more} more, in the log`].join('\n');
}
