/** The keys that a script is given. Its arguments name each by its number, so that long keys go over the wire once. */
export class KeyNumbers {
  readonly #numbers = new Map<string, number>();

  /** @param first the keys that the script knows by heart */
  constructor(first: readonly string[] = []) {
    for (const key of first) this.of(key);
  }

  /** 0 for no key. */
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
