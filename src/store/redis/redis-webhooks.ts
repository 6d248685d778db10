import type { KnownWebhook, WebhookChange } from '../event-store.js';
import { type RedisClient, Script } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';

/**
 * Puts the webhooks in the place of what they were, unless they are something else by now.
 *
 * KEYS: webhooks, urls. ARGV: what they were (nothing: not there), what they are, the digest and the text of each key. Gives 1
 * when that was done.
 */
const SWAP_WEBHOOKS = new Script(`
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
for i = 3, #ARGV, 2 do redis.call('HSETNX', KEYS[2], ARGV[i], ARGV[i + 1]) end
return 1
`);

/** The webhooks that a store in Redis remembers. */
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

/** Our own writing, read back. */
const parse = (text: string | null): readonly KnownWebhook[] | undefined =>
  text === null ? undefined : (JSON.parse(text) as readonly KnownWebhook[]);
