import { parseJson } from '../../base/text/decode.js';
import type { MessageTypeName } from '../../protocol/calls.js';

/** The indexes of the counts in a tally. */
export const OF_DESTINATION = { delivered: 0, retried: 1, dead: 2 } as const;
export const OF_SOURCE = { received: 0, rejected: 1, blocked: 2, forwarded: 3 } as const;

export type SourceCounts = Readonly<Record<keyof typeof OF_SOURCE, number>>;

/** The counts of one destination or source. */
export class Tally {
  /** The counts of a destination, by `OF_DESTINATION`, or of a source, by `OF_SOURCE`. */
  readonly counts: number[] = [0, 0, 0, 0];
  /** The number of answers in each bucket of durations. */
  readonly durations = new Map<number, number>();
  /** How many deliveries waited when they were last counted. */
  waiting: number | undefined;
  /** When they were counted, in ms since 1970. */
  waitingAt = 0;

  get isEmpty(): boolean {
    return this.counts.every((count) => count === 0);
  }

  of(index: number): number {
    return this.counts[index] ?? 0;
  }

  count(index: number, by = 1): void {
    this.counts[index] = this.of(index) + by;
  }

  took(ms: number): void {
    const bucket = bucketOf(ms);
    this.durations.set(bucket, (this.durations.get(bucket) ?? 0) + 1);
  }

  waits(waiting: number, at: number): void {
    this.waiting = waiting;
    this.waitingAt = at;
  }

  add({ counts, durations, waiting, waitingAt }: Tally): void {
    for (const [index, count] of counts.entries()) this.count(index, count);
    for (const [bucket, count] of durations) this.durations.set(bucket, (this.durations.get(bucket) ?? 0) + count);
    // All processes see the same waiting deliveries, so the latest number is right. A process that has ended left an old number.
    if (waiting !== undefined && waitingAt >= this.waitingAt) this.waits(waiting, waitingAt);
  }

  /** Returns the time in ms by which this share of the answers had come, accurate to a tenth; null without answers. */
  quantile(share: number): number | null {
    const sorted = [...this.durations].toSorted(([one], [other]) => one - other);
    const total = sorted.reduce((sum, [, count]) => sum + count, 0);
    let seen = 0;
    for (const [bucket, count] of sorted) {
      seen += count;
      if (seen >= total * share) return middleOf(bucket);
    }
    return null;
  }

  encode(): string {
    return JSON.stringify([this.counts, [...this.durations].flat(), this.waiting ?? null, this.waitingAt]);
  }

  /** Decodes a tally. A damaged text gives an empty one, so that it does not hide what other processes have counted. */
  static decode(text: string): Tally {
    const [counts, durations, waiting, waitingAt] = (parseJson(text) ?? [[], [], null, 0]) as [
      ...[counts: number[], durations: number[], waiting: number | null, waitingAt: number],
    ];
    const tally = new Tally();
    for (const [index, count] of counts.entries()) tally.count(index, count);
    for (let at = 0; at < durations.length; at += 2) tally.durations.set(durations[at] ?? 0, durations[at + 1] ?? 0);
    if (waiting !== null) tally.waits(waiting, waitingAt);
    return tally;
  }
}

/** The number of buckets for each doubling of the duration. Each is about a fifth wide. */
const FINENESS = 4;

const bucketOf = (ms: number): number => (ms < 1 ? 0 : Math.floor(Math.log2(ms) * FINENESS) + 1);

function middleOf(bucket: number): number {
  const middle = bucket === 0 ? 0.5 : 2 ** ((bucket - 0.5) / FINENESS);
  return middle < 10 ? Math.round(middle * 10) / 10 : Math.round(middle);
}

/** Returns the counts of a source by their names. */
export const sourceCounts = (tally: Tally): SourceCounts => ({
  received: tally.of(OF_SOURCE.received),
  rejected: tally.of(OF_SOURCE.rejected),
  blocked: tally.of(OF_SOURCE.blocked),
  forwarded: tally.of(OF_SOURCE.forwarded),
});

/** How many messages of one type and event were received, and how many of these were blocked. */
export interface EventCount {
  readonly type: MessageTypeName;
  /** The name of a track event; empty for the other types. */
  readonly event: string;
  received: number;
  blocked: number;
}

/** The maximum number of events in a table. The rest are counted together, which bounds the store. */
const MOST_EVENTS = 1_000;
const OTHER_EVENTS = '(other)';

/** Longer names are cut to this many UTF-16 code units. */
const LONGEST_EVENT = 80;

/** Shortens the name of an event and makes it well-formed, as the store requires. */
export function eventName(event: string): string {
  const name = event.length > LONGEST_EVENT ? `${event.slice(0, LONGEST_EVENT - 1)}…` : event;
  return name.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}

/** Counts the messages of a source in one hour by type and event. */
export class EventTable {
  readonly #rows = new Map<string, EventCount>();

  count(type: MessageTypeName, event: string, isBlocked: boolean): void {
    const row = this.#rowOf(type, eventName(event));
    row.received++;
    if (isBlocked) row.blocked++;
  }

  add(text: string): void {
    // Only `encode` writes such texts. A damaged one counts nothing.
    const rows = (parseJson(text) ?? []) as [MessageTypeName, string, number, number][];
    for (const [type, event, received, blocked] of rows) {
      const row = this.#rowOf(type, event);
      row.received += received;
      row.blocked += blocked;
    }
  }

  encode(): string {
    return JSON.stringify(
      Array.from(this.#rows.values(), ({ type, event, received, blocked }) => [type, event, received, blocked]),
    );
  }

  /** Returns the counts ordered by type and event. */
  counts(): EventCount[] {
    const keys = [...this.#rows.keys()].sort();
    return keys.flatMap((key) => this.#rows.get(key) ?? []);
  }

  #rowOf(type: MessageTypeName, event: string): EventCount {
    const key = `${type}/${event}`;
    const found = this.#rows.get(key);
    if (found !== undefined) return found;
    const isFull = this.#rows.size >= MOST_EVENTS && event !== '' && event !== OTHER_EVENTS;
    if (isFull) return this.#rowOf(type, OTHER_EVENTS);
    const row = { type, event, received: 0, blocked: 0 };
    this.#rows.set(key, row);
    return row;
  }
}
