import { randomBytes } from 'node:crypto';
import type { RedisClient } from './redis-client.js';
import { digestOf } from './redis-keys.js';

/** The prefix of such keys. An event id that begins with two slashes gets a third, so it cannot equal a key. */
const REF = '//';

/** One partition of a storage. All its keys are in one slot, so that a script may use any of them. */
export class Partition {
  readonly link: RedisClient;
  /** The hash tag of its keys. */
  readonly tag: string;
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

  constructor(link: RedisClient, tag: string) {
    this.link = link;
    this.tag = tag;
    this.records = `{${tag}}:messages`;
    this.references = `{${tag}}:references`;
    this.due = `{${tag}}:due`;
    this.place = `{${tag}}:place`;
  }

  /** The keys that the stores of all destinations share, in the order in which every script expects them first. */
  get keys(): readonly string[] {
    return [this.records, this.references, this.due, this.place];
  }

  /**
   * Returns a key for a message that cannot use its id, because another message may have the same id while it is still stored.
   */
  newRef(): string {
    return `${REF}${this.#process}${(this.#count++).toString(36)}`;
  }

  /** Returns the key that remembers a message's id. */
  seenKeyOf(source: string, id: string): string {
    return `{${this.tag}}:seen:${digestOf(JSON.stringify([source, id]))}`;
  }
}
