import { createHash } from 'node:crypto';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import { type Stage, waitingEntries } from '../event-store.js';

/** A line of an ordered set: the event's id stands in it with this score. */
export interface Line {
  readonly key: string;
  readonly at: number;
  /** Of a first attempt, the URL, and the set in which it stands instead while a process has claimed it. */
  readonly url?: string;
  readonly claimed?: string;
}

/** Whatever the text, 22 characters that stand for it. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

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

  /** The lines an event has. */
  linesOf(event: StoredEvent): Line[] {
    const lines: Line[] = waitingEntries(event).map(({ url, stage, at }) => {
      const line = { key: this.waiting(url, stage), at };
      return stage === 'first' ? { ...line, url, claimed: this.claimed(url) } : line;
    });
    return event.isDead ? [...lines, { key: this.dead, at: event.acceptedAt }] : lines;
  }
}
