import { BYTES, STANDING } from './lua.js';
import type { Messages } from './messages.js';
import { type RedisClient, Script } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';
import { decodeRecord, isShort, type Read, readImplied, readText, refIn } from './stored-text.js';

/**
 * KEYS: events, bodies, urls, messages. ARGV: an id, what stands before the digests of URLs in the names of indexes of first attempts and of
 * claims, and digests and URLs by turns that the process knows. Gives the text, the URL of an implied event, and the record of the message, or
 * the body of an event that keeps one.
 *
 * What the process knows comes before what Redis has of it, which a failover may have lost.
 */
const FIND = new Script(`
${BYTES}
${STANDING}
local id, index, claimed = ARGV[1], ARGV[2], ARGV[3]
local text = redis.call('HGET', KEYS[1], id)
local ref = refOf(text, id)
if not ref then return { text, false, redis.call('HGET', KEYS[2], id) } end
local record = redis.call('HGET', KEYS[4], ref)
if text or not record then return { text, false, record } end
local known = {}
for i = 4, #ARGV do known[i - 3] = ARGV[i] end
local url = urlOf(id, index, claimed, known) or urlOf(id, index, claimed, redis.call('HGETALL', KEYS[3]))
return { false, url or false, record }
`);

interface Found {
  readonly read: Read;
  readonly body: Uint8Array | undefined;
}

/** Reads the events of one store, and their bodies. */
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

  async #find(id: string): Promise<Found | undefined> {
    const { events, bodies, urls, beforeFirst, beforeClaimed } = this.#keys;
    const keys = [events, bodies, urls, this.#messages.records];
    const answer = await this.#link.runForBytes(FIND, keys, [id, beforeFirst, beforeClaimed, ...this.#keys.known]);
    // As the script gives them.
    const [text, url, record] = answer as (Buffer | null)[];
    return foundIn(id, text?.toString(), url?.toString(), record ?? undefined);
  }
}

function foundIn(
  id: string,
  text: string | undefined,
  url: string | undefined,
  record: Buffer | undefined,
): Found | undefined {
  if (text === undefined) {
    if (url === undefined || record === undefined) return undefined;
    const message = decodeRecord(record);
    return { read: readImplied(id, url, message), body: message.body };
  }
  const hasMessage = record !== undefined && refIn(id, text) !== undefined;
  const message = hasMessage ? decodeRecord(record) : undefined;
  const read = readText(id, text, isShort(text) ? message : undefined);
  return read && { read, body: message?.body ?? record };
}
