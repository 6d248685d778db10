import type { KeyValueStore } from './key-value-store.js';
import { StoreDamagedError } from './store-errors.js';

/** A webhook as a store remembers it. */
export interface KnownWebhook {
  /**
   * Identifies the webhook in events and queues for good: the URL under which the store first knew it, followed by `#2` and so on
   * if another webhook already has that key.
   */
  readonly key: string;
  /** The `id` in its settings, if it has one. */
  readonly id?: string;
  /** The URL of the webhook, or its last URL if it is gone. */
  readonly url: string;
  /** True if the webhook is no longer configured. */
  readonly isGone?: true;
  /**
   * True if it belonged to an earlier destination of this name, which was removed from the configuration. Its dead letters are
   * not redirected automatically, because the destination that has the name now may belong to somebody else.
   */
  readonly isOfEarlier?: true;
}

type Known = readonly KnownWebhook[];

const ADVICE =
  'Restore a copy of it, in Redis as a field of the hash that ends with `:shelf:values`, or remove it: the service then takes the webhooks from its configuration, and what waits for others becomes dead letters';

/** The list of a destination's webhooks: the record `webhooks/<destination>` of a key-value store. */
export class WebhookList {
  readonly #keyValues: KeyValueStore;
  readonly #key: string;
  readonly #onUpdated: (known: Known) => Promise<void>;
  /** The list that this process last wrote or read. */
  #last: Known | undefined;

  /** @param onUpdated called before `update` resolves, even if nothing has changed */
  constructor(
    keyValues: KeyValueStore,
    destination: string,
    onUpdated: (known: Known) => Promise<void> = async () => {},
  ) {
    this.#keyValues = keyValues;
    this.#key = `webhooks/${encodeURIComponent(destination)}`;
    this.#onUpdated = onUpdated;
  }

  /** Resolves to the webhooks as they were last recorded; undefined before the first time. */
  async read(): Promise<Known | undefined> {
    const known = this.#parse(await this.#text());
    this.#last = known ?? this.#last;
    return known;
  }

  /** Writes the list again if it is gone, because new deliveries are found through it. */
  async restore(): Promise<void> {
    const last = this.#last;
    if (last !== undefined) await this.update((known) => known ?? last);
  }

  /**
   * Replaces the list with what `change` returns, and resolves to it. Reading and writing are atomic; `change` may be called more
   * than once, and the last call counts. Nothing is written if it returns the same list.
   */
  async update(change: (known: Known | undefined) => Known): Promise<Known> {
    for (;;) {
      const text = await this.#text();
      const known = this.#parse(text);
      const next = change(known);
      const was = { key: this.#key, value: text };
      if (next === known || (await this.#keyValues.writeIf(was, [{ ...was, value: JSON.stringify(next) }]))) {
        this.#last = next;
        await this.#onUpdated(next);
        return next;
      }
    }
  }

  async #text(): Promise<string | undefined> {
    return (await this.#keyValues.get([this.#key]))[0];
  }

  #parse(text: string | undefined): Known | undefined {
    if (text === undefined) return undefined;
    try {
      // We wrote this text ourselves, so its type is known.
      return JSON.parse(text) as Known;
    } catch {
      const record = `The record ${this.#key} of the store`;
      const error = new StoreDamagedError(record, 'the list of the webhooks of a destination cannot be read', ADVICE);
      throw error;
    }
  }
}
