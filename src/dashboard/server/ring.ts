export interface Kept {
  readonly seq: number;
  /** The name of the source; absent for what none sent. */
  readonly source?: string | undefined;
  readonly json: string;
}

/** The newest entries, up to a count and a size; what is older falls out. */
export class Ring {
  readonly #maxCount: number;
  readonly #maxCharacters: number;
  #entries: Kept[] = [];
  #first = 0;
  #characters = 0;
  #droppedSeq = 0;

  constructor({ maxCount, maxCharacters }: { maxCount: number; maxCharacters: number }) {
    this.#maxCount = maxCount;
    this.#maxCharacters = maxCharacters;
  }

  get size(): number {
    return this.#entries.length - this.#first;
  }

  /** The number of the newest entry that has fallen out; 0 when none has. */
  get droppedSeq(): number {
    return this.#droppedSeq;
  }

  add(entry: Kept): void {
    this.#entries.push(entry);
    this.#characters += entry.json.length;
    while (this.size > this.#maxCount || (this.#characters > this.#maxCharacters && this.size > 1)) this.#drop();
  }

  clear(): void {
    this.#entries = [];
    this.#first = 0;
    this.#characters = 0;
  }

  /** Up to `limit` entries behind the number `seq`, oldest first. */
  after(seq: number, limit: number): readonly Kept[] {
    const from = this.#indexBehind(seq);
    return this.#entries.slice(from, from + limit);
  }

  /** Entries are in the order of their numbers, so the place is found by halving. */
  #indexBehind(seq: number): number {
    let [low, high] = [this.#first, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.seq ?? 0) > seq) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #drop(): void {
    const oldest = this.#entries[this.#first];
    if (oldest === undefined) return;
    this.#first++;
    this.#characters -= oldest.json.length;
    this.#droppedSeq = oldest.seq;
    // Cut off now and then: to shift each one would move all the others each time.
    if (this.#first > this.#maxCount) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
  }
}
