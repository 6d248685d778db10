/** Keeps only the newest entries. Setting an entry again makes it the newest. */
export class RecentMap<V> extends Map<string, V> {
  readonly #capacity: number;

  constructor(capacity: number) {
    super();
    this.#capacity = capacity;
  }

  override set(key: string, value: V): this {
    this.delete(key);
    super.set(key, value);
    const [oldest] = this.keys();
    if (this.size > this.#capacity && oldest !== undefined) this.delete(oldest);
    return this;
  }
}
