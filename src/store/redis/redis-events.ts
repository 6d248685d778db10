import { IN_LINE, MESSAGE, SHARED } from './lua.js';
import type { Messages } from './messages.js';
import { type RedisClient, Script } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';
import { readUrls } from './redis-urls.js';
import { ScriptCall, setsOf } from './script-call.js';
import { type Read, type ReadParts, readParts, StoredMessage } from './stored-text.js';

/**
 * Finds an event and its message by the event's `id`. `events` is the key of the events, `lines` are those of each URL that the process
 * knows.
 *
 * Returns the event's own record; if there is none, the number of the URL whose line the event is in, counted from 1, or
 * 0 if it is in none of them; and the message's record.
 */
const FIND = new Script(`
${SHARED}
${MESSAGE}
${IN_LINE}
local text = redis.call('HGET', KEYS[call.events], call.id)
local record = redis.call('HGET', messages, refOf(text, call.id))
if text or not record then return { text, 0, record } end
for i, line in ipairs(call.lines) do
  if inLine(KEYS[line.first], KEYS[line.timed], { call.id })[1] then return { false, i, record } end
end
return { false, 0, record }
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

  /**
   * Finds an event. The URLs that the process knows are tried first, because a failover may have lost those in Redis and most
   * events are at known URLs.
   */
  async #find(id: string): Promise<ReadParts | undefined> {
    for (;;) {
      const urls = this.#keys.known;
      const script = new ScriptCall(this.#messages.keys);
      const lines = urls.map((url) => setsOf(this.#keys.line(url), script));
      const call = { id, events: script.key(this.#keys.events), lines };
      // The script returns this shape.
      const answer = (await script.runForBytes(this.#link, FIND, call)) as [Buffer | null, number, Buffer | null];
      const [text, place, record] = answer;
      const url = urls[place - 1];
      if (text === null && record !== null && url === undefined) {
        await readUrls(this.#link, this.#keys);
        if (this.#keys.known.length > urls.length) continue;
      }
      const message = record === null ? undefined : new StoredMessage(record);
      return readParts({ id, text: text?.toString(), url, message });
    }
  }
}
