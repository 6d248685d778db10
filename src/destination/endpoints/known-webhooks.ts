import type { EventStore } from '../../store/event-store.js';
import type { KnownWebhook } from '../../store/webhook-list.js';
import { shownUrl } from '../sending/shown-url.js';
import { type GivenWebhook, recognizeWebhooks } from './recognize-webhooks.js';

export interface WebhookName {
  /** The `id` in the webhook's settings, if it has one. */
  id?: string;
  /** The URL of the webhook, or its last URL if it is gone. */
  url: string;
}

export interface EndpointName {
  /** The URL of the webhook, or its last URL if it is gone. */
  endpoint: string;
  /** The `id` in the webhook's settings, if it has one. */
  webhookId?: string;
}

/** The webhooks that a store remembers. Translates between the keys in events and queues and the names that people see. */
export class KnownWebhooks {
  // Private, because a URL may hold a secret that `inspect` must not show.
  readonly #known: readonly KnownWebhook[];
  readonly #configured: readonly KnownWebhook[] | undefined;
  readonly #configuredKeys: readonly string[];
  /** Caches the last text and which keys it matches, because the same text is tested against very many deliveries in a row. */
  #asked: { readonly text: string; readonly means: Map<string, boolean> } | undefined;

  constructor(known: readonly KnownWebhook[] | undefined) {
    this.#known = known ?? [];
    this.#configured = known?.filter(({ isGone }) => isGone !== true);
    this.#configuredKeys = this.#configured?.map(({ key }) => key) ?? [];
  }

  static async of(store: EventStore): Promise<KnownWebhooks> {
    return new KnownWebhooks(await store.webhooks.read());
  }

  /**
   * Finds out which of the webhooks in the settings are already known, and records the result in the store.
   *
   * @param waiting the URLs for which deliveries wait
   * @param wasRemoved whether the destination was missing from the configuration for a while
   */
  static async recognize(
    store: EventStore,
    given: readonly GivenWebhook[],
    waiting: readonly string[] = [],
    wasRemoved = false,
  ): Promise<KnownWebhooks> {
    return new KnownWebhooks(
      await store.webhooks.update((known) => recognizeWebhooks(known, given, waiting, wasRemoved)),
    );
  }

  /** The configured webhooks, in the order of the settings; undefined if the store has no record of webhooks. */
  get configured(): readonly KnownWebhook[] | undefined {
    return this.#configured;
  }

  /** The keys of the configured webhooks. */
  get configuredKeys(): readonly string[] {
    return this.#configuredKeys;
  }

  /** Returns the URL of the webhook, or its last URL if it is gone. */
  urlOf(key: string): string {
    return this.#find(key)?.url ?? firstUrl(key);
  }

  /** Returns the URL and `id` of a webhook for a report about the webhook itself. */
  nameOf(key: string): WebhookName {
    const id = this.#find(key)?.id;
    return id === undefined ? { url: this.urlOf(key) } : { id, url: this.urlOf(key) };
  }

  /** Returns the URL and `id` of a webhook for a report about an event. */
  endpointOf(key: string): EndpointName {
    const id = this.#find(key)?.id;
    return id === undefined ? { endpoint: this.urlOf(key) } : { endpoint: this.urlOf(key), webhookId: id };
  }

  /**
   * Returns true if the text identifies the webhook: by its `id`, its URL, its URL as it is shown or, if no webhook matches
   * these, by its first URL. Without a text, every webhook matches.
   */
  isMeant(key: string, text: string | undefined): boolean {
    if (text === undefined) return true;
    if (this.#asked?.text !== text) this.#asked = { text, means: new Map() };
    const { means } = this.#asked;
    const known = means.get(key);
    if (known !== undefined) return known;
    const isIt = this.#names(key, text) || (matches(firstUrl(key), text) && !this.#isNamed(text));
    means.set(key, isIt);
    return isIt;
  }

  /** Returns true if the text identifies the webhook or, if it identifies none, is part of its shown URL. */
  isFound(key: string, text: string): boolean {
    return this.#isNamed(text) ? this.#names(key, text) : shownUrl(this.urlOf(key)).includes(text);
  }

  /** Returns true if the text identifies exactly one configured webhook. */
  isConfigured(text: string): boolean {
    return this.configured?.filter(({ key }) => this.isMeant(key, text)).length === 1;
  }

  /**
   * Returns the key of the webhook that receives a replayed dead letter: its own webhook or, if that is no longer configured, the
   * one with the same URL, the one identified by `sendTo`, or the only one there is, unless the letter belongs to an earlier
   * destination of the same name. Returns undefined if none of these applies.
   */
  targetOf(key: string, sendTo?: string): string | undefined {
    const webhooks = this.configured;
    if (webhooks === undefined || webhooks.some((webhook) => webhook.key === key)) return key;
    const url = this.urlOf(key);
    const there = webhooks.find((webhook) => webhook.url === url);
    const named = there ?? (sendTo === undefined ? undefined : webhooks.find((one) => this.isMeant(one.key, sendTo)));
    const isOnly = webhooks.length === 1 && this.#find(key)?.isOfEarlier !== true;
    return (named ?? (isOnly ? webhooks[0] : undefined))?.key;
  }

  #find(key: string): KnownWebhook | undefined {
    return this.#known.find((webhook) => webhook.key === key);
  }

  #names(key: string, text: string): boolean {
    return this.#find(key)?.id === text || matches(this.urlOf(key), text);
  }

  #isNamed(text: string): boolean {
    return this.#known.some(({ key }) => this.#names(key, text));
  }
}

const matches = (url: string, text: string): boolean => url === text || shownUrl(url) === text;

const firstUrl = (key: string): string => key.replace(/#\d+$/, '');
