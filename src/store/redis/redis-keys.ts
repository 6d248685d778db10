import { createHash } from 'node:crypto';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { Stage } from '../event-store.js';
import { waitingEntries } from '../queue-key.js';
import { untriedText } from './stored-text.js';

/** An event's entry in a sorted set: the set's key and the event's score. */
export interface QueueEntry {
  readonly key: string;
  readonly at: number;
  /** The URL at which the event waits, and for which attempt; omitted for a dead letter. */
  readonly waits?: { readonly url: string; readonly stage: Stage };
}

/** The keys for untried events of one store that go to the same URLs. */
export interface DeliveryKeys {
  /** The record that all these events share; undefined if they need none, as unordered events with a single URL. */
  readonly text: string | undefined;
  readonly isOrdered: boolean;
  readonly events: string;
  readonly counts: string;
  readonly lines: readonly LineKeys[];
}

/** The keys of one URL's line. */
export interface LineKeys {
  readonly url: string;
  /** Stands for the URL in keys. */
  readonly digest: string;
  /** The line's name in the set of lines with deliveries. */
  readonly name: string;
  /** A sorted set of untried, unclaimed deliveries in the order of acceptance. A member may be a chunk of several. */
  readonly first: string;
  /** A sorted set of retries, scored by their due times, and of claims, scored by the negated end of their leases. */
  readonly timed: string;
  /** A sorted set of ordered deliveries that wait behind another of their user. */
  readonly behind: string;
  /** The same deliveries as members that begin with the user and the score, so that each user's are adjacent and in order. */
  readonly lanes: string;
  /** A hash with the one delivery of each user that the other deliveries of that user wait for. */
  readonly heads: string;
  /** The key that records which process sweeps the line. */
  readonly turn: string;
  /** The field that counts the bytes that wait at the URL. */
  readonly bytes: string;
}

/** Returns a digest of 22 characters for a text of any length. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** Returns the field of one count in a store's hash of counts. */
export const countOf = (digest: string, what: string): string => `${digest}/${what}`;

/** The keys of one store in Redis. All share one hash tag (the part in braces), so that they are on one server. */
export class RedisKeys {
  readonly events: string;
  readonly urls: string;
  readonly dead: string;
  readonly counts: string;
  readonly #name: string;
  readonly #prefix: string;
  readonly #lines = new Map<string, LineKeys>();
  readonly #deliveries = new Map<string, DeliveryKeys>();

  /** @param tag the hash tag of the partition that holds all keys */
  constructor(name: string, tag: string) {
    this.#name = name;
    this.#prefix = `{${tag}}:${name}`;
    this.events = `${this.#prefix}:events`;
    this.urls = `${this.#prefix}:urls`;
    this.dead = `${this.#prefix}:dead`;
    this.counts = `${this.#prefix}:counts`;
  }

  /** Returns the keys of the URL's line. They are cached, because there are few URLs. */
  line(url: string): LineKeys {
    let line = this.#lines.get(url);
    if (line === undefined) {
      const digest = digestOf(url);
      const keyOf = (what: string): string => `${this.#prefix}:${what}:${digest}`;
      line = {
        url,
        digest,
        name: `${this.#name}:${digest}`,
        first: keyOf('first'),
        timed: keyOf('timed'),
        behind: keyOf('behind'),
        lanes: keyOf('lanes'),
        heads: keyOf('heads'),
        turn: keyOf('turn'),
        bytes: countOf(digest, 'bytes'),
      };
      this.#lines.set(url, line);
    }
    return line;
  }

  /** The lines of the URLs that have been used so far. */
  get lines(): LineKeys[] {
    return [...this.#lines.values()];
  }

  /** Returns the same object for the same URLs. There are about as many objects as webhooks. */
  deliveryTo(urls: readonly string[], isOrdered = false): DeliveryKeys {
    const name = urls.length === 1 && !isOrdered ? (urls[0] ?? '') : JSON.stringify([...urls, isOrdered]);
    let delivery = this.#deliveries.get(name);
    if (delivery === undefined) {
      const lines = urls.map((url) => this.line(url));
      const text = lines.length === 1 && !isOrdered ? undefined : untriedText(urls, isOrdered);
      delivery = { text, isOrdered, events: this.events, counts: this.counts, lines };
      this.#deliveries.set(name, delivery);
    }
    return delivery;
  }

  /** Returns the sorted sets that contain the event, with its scores. */
  entriesOf(event: StoredEvent): QueueEntry[] {
    const entries: QueueEntry[] = waitingEntries(event).map(({ url, stage, at }) => {
      const { first, timed } = this.line(url);
      return { key: stage === 'first' ? first : timed, at, waits: { url, stage } };
    });
    return event.isDead ? [...entries, { key: this.dead, at: event.acceptedAt }] : entries;
  }
}
