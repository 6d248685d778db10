import { createHash } from 'node:crypto';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import { type Stage, waitingEntries } from '../event-store.js';
import { untriedText } from './stored-text.js';

/** An entry of an ordered set: the event's id stands in it with this score. */
export interface Entry {
  readonly key: string;
  readonly at: number;
  /** Where the event waits, and for what; left out for a dead letter. */
  readonly waits?: { readonly url: string; readonly stage: Stage };
}

/** Where the events of one store lie that are for the same URLs and have not been tried. */
export interface Way {
  /** What they all have for a text; undefined where they are implied, as they have one URL. */
  readonly text: string | undefined;
  readonly events: string;
  readonly counts: string;
  readonly lines: readonly LineKeys[];
}

/** Where the line of one URL lies. */
export interface LineKeys {
  readonly url: string;
  /** What it is called among those that have something. */
  readonly name: string;
  /** What was never tried and is not claimed, in the order of acceptance. */
  readonly first: string;
  /** Everything with a time: retries by when they are due; and, negative, claims by when their leases end. */
  readonly timed: string;
  /** Of ordered events, what waits behind others of its user, by its place. */
  readonly behind: string;
  /** The same by users, and by its place. */
  readonly lanes: string;
  /** Which delivery of each user the others wait for. */
  readonly heads: string;
  /** The field of the counts in which are the bytes of what waits at the URL. */
  readonly bytes: string;
}

/** Whatever the text, 22 characters that stand for it. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** The field of a count among the counts of a store. */
export const countOf = (digest: string, what: string): string => `${digest}/${what}`;

/** Where the parts of one store lie in Redis. What is in braces is the same for all, so that they lie on one machine. */
export class RedisKeys {
  readonly events: string;
  readonly urls: string;
  readonly dead: string;
  readonly counts: string;
  readonly webhooks: string;
  readonly #name: string;
  readonly #prefix: string;
  readonly #digests = new Map<string, string>();
  readonly #lines = new Map<string, LineKeys>();
  readonly #ways = new Map<string, Way>();

  /** @param partition that of the storage in which all of it lies, where there are several */
  constructor(name: string, partition?: string) {
    this.#name = name;
    this.#prefix = partition === undefined ? `{${name}}` : `{${partition}}:${name}`;
    this.events = `${this.#prefix}:events`;
    this.urls = `${this.#prefix}:urls`;
    this.dead = `${this.#prefix}:dead`;
    this.counts = `${this.#prefix}:counts`;
    this.webhooks = `${this.#prefix}:webhooks`;
  }

  /** The line of the URL. */
  line(url: string): LineKeys {
    let line = this.#lines.get(url);
    if (line === undefined) {
      const digest = this.digest(url);
      const [first, timed] = [`${this.beforeFirst}${digest}`, `${this.beforeTimed}${digest}`];
      const [behind, lanes, heads] = ['behind', 'lanes', 'heads'].map((what) => `${this.#prefix}:${what}:${digest}`);
      const ofUsers = { behind: behind ?? '', lanes: lanes ?? '', heads: heads ?? '' };
      line = { url, name: `${this.#name}:${digest}`, first, timed, ...ofUsers, bytes: countOf(digest, 'bytes') };
      this.#lines.set(url, line);
    }
    return line;
  }

  /** What stands before a URL's digest in the key of what waits there for its first attempt. */
  get beforeFirst(): string {
    return `${this.#prefix}:first:`;
  }

  /** The same for what has a time. */
  get beforeTimed(): string {
    return `${this.#prefix}:timed:`;
  }

  /** Says which process looks after what is too old, or too much, at the URL. */
  turn(url: string): string {
    return `${this.#prefix}:turn:${this.digest(url)}`;
  }

  /** URLs are long and few. */
  digest(url: string): string {
    let digest = this.#digests.get(url);
    if (digest === undefined) {
      digest = digestOf(url);
      this.#digests.set(url, digest);
    }
    return digest;
  }

  /** Digests and URLs by turns, of all that were asked for. */
  get known(): string[] {
    return [...this.#digests].flatMap(([url, digest]) => [digest, url]);
  }

  /** The same for the same URLs. There are about as many as webhooks. */
  wayTo(urls: readonly string[]): Way {
    const text = urls.length === 1 ? (urls[0] ?? '') : JSON.stringify(urls);
    let way = this.#ways.get(text);
    if (way === undefined) {
      const lines = urls.map((url) => this.line(url));
      const untried = lines.length === 1 ? undefined : untriedText(urls);
      way = { text: untried, events: this.events, counts: this.counts, lines };
      this.#ways.set(text, way);
    }
    return way;
  }

  /** The entries of an event. */
  entriesOf(event: StoredEvent): Entry[] {
    const entries: Entry[] = waitingEntries(event).map(({ url, stage, at }) => {
      const { first, timed } = this.line(url);
      return { key: stage === 'first' ? first : timed, at, waits: { url, stage } };
    });
    return event.isDead ? [...entries, { key: this.dead, at: event.acceptedAt }] : entries;
  }
}
