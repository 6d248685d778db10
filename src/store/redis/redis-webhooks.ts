import type { KnownWebhook, WebhookChange } from '../event-store.js';
import { type RedisClient, Script } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';

/**
 * Replaces the list of webhooks unless it has changed.
 *
 * KEYS: webhooks, urls.
 *
 * ARGV: the old list (an empty string if there is none), the new list, and for each key its digest and the key.
 *
 * Returns 1 if it has replaced the list, otherwise 0.
 */
const SWAP_WEBHOOKS = new Script(`
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
for i = 3, #ARGV, 2 do redis.call('HSETNX', KEYS[2], ARGV[i], ARGV[i + 1]) end
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
    return parse(await this.#text());
  }

  async update(change: WebhookChange): Promise<readonly KnownWebhook[]> {
    const { webhooks, urls } = this.#keys;
    for (;;) {
      const text = await this.#text();
      const known = parse(text);
      const next = change(known);
      if (next === known) return next;
      const names = next.flatMap(({ key }) => [this.#keys.digest(key), key]);
      const args = [text ?? '', JSON.stringify(next), ...names];
      if ((await this.#link.run(SWAP_WEBHOOKS, [webhooks, urls], args)) === 1) return next;
    }
  }

  #text(): Promise<string | null> {
    return this.#link.ask((redis) => redis.get(this.#keys.webhooks));
  }
}

/** We wrote this text ourselves, so its type is known. */
const parse = (text: string | null): readonly KnownWebhook[] | undefined =>
  text === null ? undefined : (JSON.parse(text) as readonly KnownWebhook[]);
