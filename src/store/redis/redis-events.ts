import { MESSAGE, STANDING } from './lua.js';
import type { Messages } from './messages.js';
import { type RedisClient, Script } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';
import { type Read, type ReadParts, readParts } from './stored-text.js';

/**
 * Finds an event and its message.
 *
 * KEYS: events, urls, messages.
 *
 * ARGV: the id, the prefixes of the first and timed keys of URLs, and the digests and URLs that this process knows, by
 * turns.
 *
 * Returns the event's own record; if there is none, the URL whose line the event is in; and the message's record.
 *
 * The URLs that the process knows are tried before those in Redis, which a failover may have lost.
 */
const FIND = new Script(`
${MESSAGE}
${STANDING}
local id, first, timed = ARGV[1], ARGV[2], ARGV[3]
local text = redis.call('HGET', KEYS[1], id)
local record = redis.call('HGET', KEYS[3], refOf(text, id))
if text or not record then return { text, false, record } end
local known = {}
for i = 4, #ARGV do known[i - 3] = ARGV[i] end
local url = urlOf(id, first, timed, known) or urlOf(id, first, timed, redis.call('HGETALL', KEYS[2]))
return { false, url or false, record }
`);

/** Reads the events of one store and their bodies. */
export class RedisEvents {
  readonly #link: RedisClient;
  readonly #keys: RedisKeys;
  readonly #messages: Messages;

  constructor(link: RedisClient, keys: RedisKeys, messages: Messages) {
    this.#link = link;
    this.#keys = keys;
    this.#messages = messages;
  }

  async read(id: string): Promise<Read | undefined> {
    return (await this.#find(id))?.read;
  }

  async body(id: string): Promise<Uint8Array | undefined> {
    return (await this.#find(id))?.body;
  }

  async #find(id: string): Promise<ReadParts | undefined> {
    const { events, urls, beforeFirst, beforeTimed } = this.#keys;
    const args = [id, beforeFirst, beforeTimed, ...this.#keys.known];
    const answer = await this.#link.runForBytes(FIND, [events, urls, this.#messages.records], args);
    // The script returns this shape.
    const [text, url, record] = answer as (Buffer | null)[];
    return readParts({ id, text: text?.toString(), url: url?.toString(), record: record ?? undefined });
  }
}
