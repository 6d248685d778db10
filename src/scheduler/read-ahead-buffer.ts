import { compareQueueKeys, type QueueKey } from '../store/event-store.js';
import { SortedList } from '../store/sorted-list.js';

/** A delivery that waits. The body is there when it was at hand. */
export interface DueItem extends QueueKey {
  readonly body?: Uint8Array | undefined;
}

export interface ReadAheadBufferOptions {
  /** How many items are loaded at a time; up to twice as many are held. */
  size: number;
  /** Reads the next queue keys from the store. */
  load(after: QueueKey | undefined, limit: number): Promise<readonly QueueKey[]>;
}

/** Before every key there is. */
const START: QueueKey = { at: -1, id: '' };

/**
 * The earliest of what waits, held in memory; the rest stays in the store. What lies up to the horizon is here, or was
 * taken; what lies beyond is only in the store. So a million that wait take no more memory than a thousand.
 */
export class ReadAheadBuffer {
  readonly #size: number;
  readonly #load: ReadAheadBufferOptions['load'];
  readonly #items = new SortedList<DueItem>(compareQueueKeys);
  /** Undefined when the store has nothing beyond. */
  #horizon: QueueKey | undefined = START;
  /** Items offered beyond the horizon while a load ran, which may or may not have seen them. */
  #meanwhile: DueItem[] | undefined;

  constructor({ size, load }: ReadAheadBufferOptions) {
    this.#size = size;
    this.#load = load;
  }

  get first(): DueItem | undefined {
    return this.#items.first;
  }

  /** The latest of those here. */
  get last(): DueItem | undefined {
    return this.#items.last;
  }

  get isLow(): boolean {
    return this.#horizon !== undefined && this.#meanwhile === undefined && this.#items.size < this.#size / 2;
  }

  /** Takes in an item that the store has. */
  offer(item: DueItem): void {
    if (this.#horizon === undefined || compareQueueKeys(item, this.#horizon) <= 0) this.#items.add(item);
    else this.#meanwhile?.push(item);
    this.#trim();
  }

  shift(): DueItem | undefined {
    return this.#items.shift();
  }

  pop(): DueItem | undefined {
    return this.#items.pop();
  }

  /** Takes out every item here for which this holds. */
  takeAll(holds: (item: DueItem) => boolean): DueItem[] {
    const taken = [...this.#items.after(undefined)].filter(holds);
    for (const item of taken) this.#items.delete(item);
    return taken;
  }

  /** Moves the horizon outwards. */
  async refill(): Promise<void> {
    const meanwhile: DueItem[] = [];
    this.#meanwhile = meanwhile;
    try {
      const after = this.#horizon === START ? undefined : this.#horizon;
      const keys = await this.#load(after, this.#size);
      for (const key of keys) this.#items.add(key);
      this.#horizon = keys.length < this.#size ? undefined : keys.at(-1);
    } finally {
      this.#meanwhile = undefined;
    }
    for (const item of meanwhile) this.offer(item);
  }

  #trim(): void {
    // A load goes on from the horizon it was given, which may not move inwards under it.
    if (this.#meanwhile !== undefined || this.#items.size <= this.#size * 2) return;
    while (this.#items.size > this.#size) this.#items.pop();
    this.#horizon = this.#items.last;
  }
}
