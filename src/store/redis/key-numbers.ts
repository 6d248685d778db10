/** Numbers the keys of a script. Its arguments refer to keys by number, so that each long key is sent once. */
export class KeyNumbers {
  readonly #numbers = new Map<string, number>();

  /** @param first the keys that the script expects at fixed places */
  constructor(first: readonly string[] = []) {
    for (const key of first) this.of(key);
  }

  /** Returns the number of the key, counted from 1, or 0 for no key. */
  of(key: string | undefined): number {
    if (key === undefined) return 0;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#numbers.size + 1);
    return this.#numbers.size;
  }

  get all(): readonly string[] {
    return [...this.#numbers.keys()];
  }
}
