export interface RingEntry {
  readonly seq: number;
  /** The name of the source; undefined if the entry has none. */
  readonly source?: string | undefined;
  readonly json: string;
}

/** Keeps the newest entries, up to a number and a total size. Older ones are dropped. */
export class Ring {
  readonly #maxCount: number;
  readonly #maxCharacters: number;
  #entries: RingEntry[] = [];
  #characters = 0;
  #droppedSeq = 0;

  constructor({ maxCount, maxCharacters }: { maxCount: number; maxCharacters: number }) {
    this.#maxCount = maxCount;
    this.#maxCharacters = maxCharacters;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** The number of the newest entry that was dropped; 0 if none was. */
  get droppedSeq(): number {
    return this.#droppedSeq;
  }

  add(entry: RingEntry): void {
    this.#entries.push(entry);
    this.#characters += entry.json.length;
    while (this.size > this.#maxCount || (this.#characters > this.#maxCharacters && this.size > 1)) this.#drop();
  }

  clear(): void {
    this.#entries = [];
    this.#characters = 0;
  }

  /** Returns up to `limit` entries after the number `seq`, oldest first. */
  after(seq: number, limit: number): readonly RingEntry[] {
    // The search begins at the end, because most listeners already have all but the newest entries.
    const from = this.#entries.findLastIndex((entry) => entry.seq <= seq) + 1;
    return this.#entries.slice(from, from + limit);
  }

  #drop(): void {
    const oldest = this.#entries.shift();
    if (oldest === undefined) return;
    this.#characters -= oldest.json.length;
    this.#droppedSeq = oldest.seq;
  }
}
