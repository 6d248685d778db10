import { randomBytes } from 'node:crypto';

/** The prefix of such keys. An event id that begins with two slashes gets a third, so it cannot equal a key. */
const REF = '//';

/** The keys that the stores of all destinations share in one partition. */
export class Messages {
  /**
   * A hash of the messages' records by their `ref`. Each message is stored once, however many destinations deliver it,
   * and removed with its last delivery.
   */
  readonly records: string;
  /** A hash with the number of events that need each message. A message that only one event needs has no count. */
  readonly references: string;
  /** A sorted set of the lines that have deliveries, scored by their next due time; 0 means immediately. */
  readonly due: string;
  /** The last score assigned in a line. The next one is greater, whatever the clocks of the processes say. */
  readonly place: string;
  readonly #process = randomBytes(6).toString('base64url');
  #count = 0;

  /** @param prefix the text before every key */
  constructor(prefix: string) {
    this.records = `${prefix}messages`;
    this.references = `${prefix}references`;
    this.due = `${prefix}due`;
    this.place = `${prefix}place`;
  }

  /** The keys that every script expects first, in this order. */
  get keys(): readonly [records: string, references: string, due: string, place: string] {
    return [this.records, this.references, this.due, this.place];
  }

  /**
   * Returns a key for a message that cannot use its id, because another message may have the same id while it is still stored.
   */
  newRef(): string {
    return `${REF}${this.#process}${(this.#count++).toString(36)}`;
  }
}
