import { StoreDamagedError } from '../errors.js';
import type { KnownWebhook, WebhookChange } from '../event-store.js';
import { CALL } from './lua.js';
import { type RedisClient, Script } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';
import { ScriptCall } from './script-call.js';

/**
 * Replaces the list of webhooks, `was`, by `is`, unless it has changed. `urls` are the URLs to be known by their digests.
 *
 * Returns 1 if it has replaced the list, otherwise 0.
 */
const SWAP_WEBHOOKS = new Script(`
${CALL}
local webhooks, urls = KEYS[1], KEYS[2]
if (redis.call('GET', webhooks) or '') ~= call.was then return 0 end
redis.call('SET', webhooks, call.is)
for _, url in ipairs(call.urls) do redis.call('HSETNX', urls, url.digest, url.key) end
return 1
`);

/** The list of webhooks that a store in Redis keeps. */
export class RedisWebhooks {
  readonly #link: RedisClient;
  readonly #keys: RedisKeys;

  constructor(link: RedisClient, keys: RedisKeys) {
    this.#link = link;
    this.#keys = keys;
  }

  async read(): Promise<readonly KnownWebhook[] | undefined> {
    return this.#parse(await this.#text());
  }

  async update(change: WebhookChange): Promise<readonly KnownWebhook[]> {
    const { webhooks, urls } = this.#keys;
    for (;;) {
      const text = await this.#text();
      const known = this.#parse(text);
      const next = change(known);
      if (next === known) return next;
      const named = next.map(({ key }) => ({ digest: this.#keys.digest(key), key }));
      const args = { was: text ?? '', is: JSON.stringify(next), urls: named };
      if ((await new ScriptCall([webhooks, urls]).run(this.#link, SWAP_WEBHOOKS, args)) === 1) return next;
    }
  }

  #text(): Promise<string | null> {
    return this.#link.ask((redis) => redis.get(this.#keys.webhooks));
  }

  #parse(text: string | null): readonly KnownWebhook[] | undefined {
    if (text === null) return undefined;
    try {
      // We wrote this text ourselves, so its type is known.
      return JSON.parse(text) as readonly KnownWebhook[];
    } catch {
      throw new StoreDamagedError(
        `The key ${this.#keys.webhooks} in Redis`,
        'the list of the webhooks of a destination cannot be read',
        'Restore a copy of the key, or remove it: the service then takes the webhooks from its configuration, and what waits for others becomes dead letters',
      );
    }
  }
}
