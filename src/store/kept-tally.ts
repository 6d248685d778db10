import type { StoredEvent } from '../delivery/completion-rule.js';
import { type DeathReason, isWaiting } from '../delivery/state.js';
import type { Backlog, DeadTotals } from './event-store.js';
import { stageOf } from './queue-key.js';

/** A count for one URL or, with '', for whole events. */
export type UrlCount = readonly [url: string, what: string, count: number];

export const OF_EVENTS = '';
export const LETTERS = 'letters';
const LETTER_BYTES = 'letter bytes';
const DEAD = 'dead';

/** Returns the size of a dead letter in bytes: its body, and the answers kept with it. */
export function keptBytesOf({ bytes = 0, urls }: StoredEvent): number {
  let kept = bytes;
  for (const { phase, history } of Object.values(urls)) {
    if (phase === 'dead') kept += Buffer.byteLength(history.at(-1)?.answer ?? '');
  }
  return kept;
}

/** Counts by URL and by kind. */
export class UrlTally {
  readonly #counts = new Map<string, Map<string, number>>();

  /** Adds the counts of the event or, with -1, subtracts them. The counts depend on the event alone. */
  add(event: StoredEvent, sign: 1 | -1): void {
    const { bytes = 0, isDead, type } = event;
    for (const [url, state] of Object.entries(event.urls)) {
      if (isWaiting(state)) {
        this.#add(url, stageOf(state), sign);
        this.#add(url, 'bytes', sign * bytes);
      } else if (isDead && state.phase === 'dead') this.#add(url, `${DEAD} ${type} ${state.reason}`, sign);
    }
    if (!isDead) return;
    this.#add(OF_EVENTS, LETTERS, sign);
    this.#add(OF_EVENTS, LETTER_BYTES, sign * keptBytesOf(event));
  }

  addAll(counted: Iterable<UrlCount>): void {
    for (const [url, what, count] of counted) this.#add(url, what, count);
  }

  /** Returns all counts that are not 0. */
  entries(): readonly UrlCount[] {
    const entries: UrlCount[] = [];
    for (const [url, counts] of this.#counts) {
      for (const [what, count] of counts) if (count !== 0) entries.push([url, what, count]);
    }
    return entries;
  }

  backlog(): Backlog[] {
    return [...this.#counts]
      .filter(([url]) => url !== OF_EVENTS)
      .map(([url, counts]) => ({
        url,
        first: counts.get('first') ?? 0,
        retry: counts.get('retry') ?? 0,
        bytes: counts.get('bytes') ?? 0,
      }))
      .filter(({ first, retry }) => first + retry > 0);
  }

  deadTotals(): DeadTotals {
    const ofEvents = this.#counts.get(OF_EVENTS);
    const deliveries = this.entries().flatMap(([url, what, count]) => {
      const [state, type, reason] = what.split(' ');
      // This module wrote the text, so its type is known.
      return state === DEAD ? [{ url, type: type as StoredEvent['type'], reason: reason as DeathReason, count }] : [];
    });
    return { events: ofEvents?.get(LETTERS) ?? 0, bytes: ofEvents?.get(LETTER_BYTES) ?? 0, deliveries };
  }

  #add(url: string, what: string, count: number): void {
    let counts = this.#counts.get(url);
    if (counts === undefined) {
      counts = new Map();
      this.#counts.set(url, counts);
    }
    counts.set(what, (counts.get(what) ?? 0) + count);
  }
}
