import { randomBytes } from 'node:crypto';
import type { RedisClient } from './redis-client.js';
import { decodeRecord, type MessageRecord } from './stored-text.js';

/** The messages of a storage: each is kept once, however many destinations hold it, and freed by the last. */
export class Messages {
  readonly #link: RedisClient;
  /** A hash of them by their `ref`. */
  readonly records: string;
  /** How many hold each, in a hash; one of a single destination is not in it. */
  readonly holders: string;
  readonly #process = randomBytes(6).toString('base64url');
  #count = 0;

  /** @param prefix stands before every key */
  constructor(link: RedisClient, prefix: string) {
    this.#link = link;
    this.records = `${prefix}messages`;
    this.holders = `${prefix}holders`;
  }

  /** What no other message has for its name: an id may come again as another message while this one is still kept. */
  newRef(): string {
    return `${this.#process}${(this.#count++).toString(36)}`;
  }

  async read(ref: string): Promise<MessageRecord | undefined> {
    const record = await this.#link.ask((redis) => redis.hgetBuffer(this.records, ref));
    return record === null ? undefined : decodeRecord(record);
  }
}
