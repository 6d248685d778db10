import { randomBytes } from 'node:crypto';

/** An event id that begins with two slashes has a third, so it cannot equal a key. */
const REF = '//';

/** The keys that the stores of all destinations share in one partition. */
export class Messages {
  /**
   * A hash of the messages' records by their `ref`. Each message is stored once, however many destinations deliver it,
   * and removed with its last delivery.
   */
  readonly records: string;
  /** A hash of how many events need each message. One that a single event needs has no count. */
  readonly references: string;
  /** A sorted set of the lines that have deliveries, scored by their next due time; 0 means at once. */
  readonly due: string;
  /** The last score given in a line. The next one is greater, whatever the clocks of the processes say. */
  readonly place: string;
  readonly #process = randomBytes(6).toString('base64url');
  #count = 0;

  /** @param prefix stands before every key */
  constructor(prefix: string) {
    this.records = `${prefix}messages`;
    this.references = `${prefix}references`;
    this.due = `${prefix}due`;
    this.place = `${prefix}place`;
  }

  /** The keys that every script expects first. */
  get keys(): readonly [records: string, references: string, due: string, place: string] {
    return [this.records, this.references, this.due, this.place];
  }

  /** Returns a key for a message that cannot use its id: the same id may return with another message while the first is still stored. */
  newRef(): string {
    return `${REF}${this.#process}${(this.#count++).toString(36)}`;
  }
}
