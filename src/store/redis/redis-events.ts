import type { Messages } from './messages.js';
import type { RedisClient } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';
import { isShort, type Read, readText, refIn } from './stored-text.js';

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
    const text = await this.#text(id);
    return text === null ? undefined : this.#readText(id, text);
  }

  async readAll(ids: readonly string[]): Promise<(Read | undefined)[]> {
    if (ids.length === 0) return [];
    const texts = await this.#link.ask((redis) => redis.hmget(this.#keys.events, ...ids));
    return Promise.all(
      texts.map((text, index) => (text === null ? undefined : this.#readText(ids[index] ?? '', text))),
    );
  }

  async body(id: string): Promise<Uint8Array | undefined> {
    const text = await this.#text(id);
    const ref = text === null ? undefined : refIn(text);
    if (ref !== undefined) return (await this.#messages.read(ref))?.body;
    return (await this.#link.ask((redis) => redis.hgetBuffer(this.#keys.bodies, id))) ?? undefined;
  }

  async #readText(id: string, text: string): Promise<Read | undefined> {
    const ref = isShort(text) ? refIn(text) : undefined;
    return readText(id, text, ref === undefined ? undefined : await this.#messages.read(ref));
  }

  #text(id: string): Promise<string | null> {
    return this.#link.ask((redis) => redis.hget(this.#keys.events, id));
  }
}
