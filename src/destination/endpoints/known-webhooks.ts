import type { Backlog, EventStore, KnownWebhook } from '../../store/event-store.js';
import { shownUrl } from '../sending/shown-url.js';
import { type GivenWebhook, recognizeWebhooks } from './recognize-webhooks.js';

export interface WebhookName {
  /** The `id` of the webhook's settings, where it has one. */
  id?: string;
  /** Where the webhook points, or pointed last. */
  url: string;
}

export interface EndpointName {
  /** The URL to which the webhook points, or pointed last. */
  endpoint: string;
  /** The `id` of the webhook's settings, where it has one. */
  webhookId?: string;
}

/** Knows the webhooks that a store remembers, and leads from the keys in events and queues to what is shown of them, and back. */
export class KnownWebhooks {
  // Private, because an inspection must not show the secret that a URL may hold.
  readonly #configured: readonly KnownWebhook[] | undefined;
  readonly #configuredKeys: readonly string[];
  readonly #known: readonly KnownWebhook[];
  /** The last text and the keys that it meant: the same is asked of very many deliveries, one after the other. */
  #asked: { readonly text: string; readonly means: Map<string, boolean> } | undefined;

  constructor(known: readonly KnownWebhook[] | undefined) {
    this.#configured = known?.filter(({ isGone }) => isGone !== true);
    this.#configuredKeys = this.#configured?.map(({ key }) => key) ?? [];
    this.#known = known ?? [];
  }

  static async of(store: EventStore): Promise<KnownWebhooks> {
    return new KnownWebhooks(await store.webhooks());
  }

  /** Finds out which of the webhooks in the settings are known, and puts that down in the store. */
  static async recognize(
    store: EventStore,
    given: readonly GivenWebhook[],
    { backlog, wasRemoved }: { readonly backlog: readonly Backlog[]; readonly wasRemoved: boolean },
  ): Promise<KnownWebhooks> {
    const waiting = backlog.map(({ url }) => url);
    return new KnownWebhooks(
      await store.updateWebhooks((known) => recognizeWebhooks(known, given, waiting, wasRemoved)),
    );
  }

  /** The configured webhooks, in the order of the settings. Undefined where the store never put down any. */
  get configured(): readonly KnownWebhook[] | undefined {
    return this.#configured;
  }

  /** The keys of the configured ones. */
  get configuredKeys(): readonly string[] {
    return this.#configuredKeys;
  }

  /** Where the webhook points, or pointed last. */
  urlOf(key: string): string {
    return this.#find(key)?.url ?? firstUrl(key);
  }

  /** Returns what is told of the webhook where nothing else is told. */
  nameOf(key: string): WebhookName {
    const id = this.#find(key)?.id;
    return id === undefined ? { url: this.urlOf(key) } : { id, url: this.urlOf(key) };
  }

  /** Returns what is told of it beside an event. */
  endpointOf(key: string): EndpointName {
    const id = this.#find(key)?.id;
    return id === undefined ? { endpoint: this.urlOf(key) } : { endpoint: this.urlOf(key), webhookId: id };
  }

  /**
   * Tells whether a webhook is meant by this text: its `id`, its URL, or its URL as it is shown; where that means none, the URL it
   * had first. Without a text every webhook is.
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

  /** Tells whether a webhook is found by this text: as one that it means or, where it means none, as one that shows it in its URL. */
  isFound(key: string, text: string): boolean {
    return this.#isNamed(text) ? this.#names(key, text) : shownUrl(this.urlOf(key)).includes(text);
  }

  /** Tells whether exactly one of those configured is meant. */
  isConfigured(text: string): boolean {
    return this.configured?.filter(({ key }) => this.isMeant(key, text)).length === 1;
  }

  /**
   * Returns the key of the webhook to which a dead letter goes when it is replayed: to its own webhook, or, where that is configured no more,
   * to the one at its URL, to the one meant by `sendTo`, or to the only one there is, unless it belonged to an earlier destination of
   * this name. Undefined when that is not known.
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
