import type { KnownWebhook, WebhookChange } from '../event-store.js';
import { StoreDamagedError } from '../store-errors.js';
import type { RedisKeyValueStore } from './redis-key-value-store.js';

/** The list of webhooks of a store in Redis, which is the value of one key of the storage. */
export class RedisWebhooks {
  readonly #keyValues: RedisKeyValueStore;
  readonly #key: string;
  /** The list that this process last wrote or read. */
  #last: readonly KnownWebhook[] | undefined;

  /** @param store the name of the store */
  constructor(keyValues: RedisKeyValueStore, store: string) {
    this.#keyValues = keyValues;
    this.#key = `webhooks/${store}`;
  }

  async read(): Promise<readonly KnownWebhook[] | undefined> {
    const known = this.#parse(await this.#text());
    this.#last = known ?? this.#last;
    return known;
  }

  /** Writes the list again if it is gone, because new deliveries are found through it. */
  async restore(): Promise<void> {
    const last = this.#last;
    if (last !== undefined) await this.update((known) => known ?? last);
  }

  async update(change: WebhookChange): Promise<readonly KnownWebhook[]> {
    for (;;) {
      const text = await this.#text();
      const known = this.#parse(text);
      const next = change(known);
      const was = { key: this.#key, value: text };
      if (next === known || (await this.#keyValues.writeIf(was, [{ ...was, value: JSON.stringify(next) }]))) {
        this.#last = next;
        return next;
      }
    }
  }

  async #text(): Promise<string | undefined> {
    return (await this.#keyValues.get([this.#key]))[0];
  }

  #parse(text: string | undefined): readonly KnownWebhook[] | undefined {
    if (text === undefined) return undefined;
    try {
      // We wrote this text ourselves, so its type is known.
      return JSON.parse(text) as readonly KnownWebhook[];
    } catch {
      const { hash, field } = this.#keyValues.placeOf(this.#key);
      throw new StoreDamagedError(
        `The field ${field} of the key ${hash} in Redis`,
        'the list of the webhooks of a destination cannot be read',
        'Restore a copy of the field, or remove it: the service then takes the webhooks from its configuration, and what waits for others becomes dead letters',
      );
    }
  }
}
