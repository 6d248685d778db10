import { createHash } from 'node:crypto';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import { type Stage, waitingEntries } from '../event-store.js';
import { untriedText } from './stored-text.js';

/** A line of an ordered set: the event's id stands in it with this score. */
export interface Line {
  readonly key: string;
  readonly at: number;
  /** Of a first attempt, which may be claimed: then it stands elsewhere. */
  readonly url?: string;
}

/** Where the events of one store lie that are for the same URLs and have not been tried. */
export interface Way {
  /** What they all have for a text; undefined where they are implied, as they have one URL. */
  readonly text: string | undefined;
  readonly events: string;
  readonly counts: string;
  readonly lines: readonly WayLine[];
}

export interface WayLine {
  readonly url: string;
  readonly index: string;
  readonly claimed: string;
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
  readonly bodies: string;
  readonly urls: string;
  readonly dead: string;
  readonly counts: string;
  readonly webhooks: string;
  /** Before the keys of BullMQ. */
  readonly jobs: string;
  readonly #prefix: string;
  readonly #digests = new Map<string, string>();
  readonly #ways = new Map<string, Way>();

  /** @param partition that of the storage in which all of it lies, where there are several */
  constructor(name: string, partition?: string) {
    this.#prefix = partition === undefined ? `{${name}}` : `{${partition}}:${name}`;
    this.events = `${this.#prefix}:events`;
    this.bodies = `${this.#prefix}:bodies`;
    this.urls = `${this.#prefix}:urls`;
    this.dead = `${this.#prefix}:dead`;
    this.counts = `${this.#prefix}:counts`;
    this.webhooks = `${this.#prefix}:webhooks`;
    this.jobs = `${this.#prefix}:jobs`;
  }

  /** The index of what waits for the URL. */
  waiting(url: string, stage: Stage): string {
    return `${this.#prefix}:${stage}:${this.digest(url)}`;
  }

  /** What stands before a URL's digest in the index of what waits there for its first attempt. */
  get beforeFirst(): string {
    return `${this.#prefix}:first:`;
  }

  /** The same for what is claimed. */
  get beforeClaimed(): string {
    return `${this.#prefix}:claimed:`;
  }

  /** The first attempts at the URL that a process has claimed, by when their leases end. */
  claimed(url: string): string {
    return `${this.#prefix}:claimed:${this.digest(url)}`;
  }

  /** How far the sweeper has come, and who sweeps. */
  sweep(url: string, part: 'cursor' | 'turn'): string {
    return `${this.#prefix}:sweep:${this.digest(url)}:${part}`;
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

  /** The field of the counts in which are the bytes of what waits at the URL and is not claimed. */
  bytes(url: string): string {
    return countOf(this.digest(url), 'bytes');
  }

  /** The same for the same URLs. There are about as many as webhooks. */
  wayTo(urls: readonly string[]): Way {
    const text = urls.length === 1 ? (urls[0] ?? '') : JSON.stringify(urls);
    let way = this.#ways.get(text);
    if (way === undefined) {
      const lines = urls.map((url) => ({
        url,
        index: this.waiting(url, 'first'),
        claimed: this.claimed(url),
        bytes: this.bytes(url),
      }));
      const untried = lines.length === 1 ? undefined : untriedText(urls);
      way = { text: untried, events: this.events, counts: this.counts, lines };
      this.#ways.set(text, way);
    }
    return way;
  }

  /** The lines an event has. */
  linesOf(event: StoredEvent): Line[] {
    const lines: Line[] = waitingEntries(event).map(({ url, stage, at }) => {
      const line = { key: this.waiting(url, stage), at };
      return stage === 'first' ? { ...line, url } : line;
    });
    return event.isDead ? [...lines, { key: this.dead, at: event.acceptedAt }] : lines;
  }
}
