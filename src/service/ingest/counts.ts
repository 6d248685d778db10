import type { Clock } from '../../base/time/clock.js';
import type { MessageTypeName } from '../../protocol/calls.js';
import type { Increment, KeyValueStore } from '../../store/key-value-store.js';
import type { History } from '../history/history.js';

/** The counts of a source. The last two are kept only for all types together. */
export const COUNTED = ['received', 'blocked', 'rejected', 'forwarded'] as const;
export type Counted = (typeof COUNTED)[number];

/** The key of one counter: a source, and an hour in UTC such as `2026-11-20T12`. */
export interface CountKey {
  readonly source: string;
  readonly hour: string;
  /** `*` for all types together. */
  readonly type: MessageTypeName | typeof ALL_TYPES;
  /** Empty for all types but track. */
  readonly event: string;
  readonly what: Counted;
}

export const ALL_TYPES = '*';

/** The maximum number of events per source and hour with their own counter. The rest share one, which bounds the store. */
export const MOST_EVENTS = 1_000;
export const OTHER_EVENTS = '(other)';

/** Longer names are cut to this many UTF-16 code units, so that they fit in a key. */
const LONGEST_EVENT = 80;

export const COUNTS = 'counts/';

export const HOUR_MS = 60 * 60_000;

export const hourOf = (ms: number): string => new Date(ms).toISOString().slice(0, 13);

export const sourcePrefix = (source: string): string => `${COUNTS}${encodeURIComponent(source)}/`;

export const hourPrefix = (source: string, hour: string): string => `${sourcePrefix(source)}${hour}/`;

export const countKey = ({ source, hour, type, event, what }: CountKey): string =>
  `${hourPrefix(source, hour)}${type}/${encodeURIComponent(event)}/${what}`;

/** Parses the key of a counter; undefined if the text is not such a key. */
export function readCountKey(key: string): CountKey | undefined {
  const [, source, hour, type, event, what] = key.split('/');
  if (source === undefined || hour === undefined || event === undefined) return undefined;
  const names = { source: decodeURIComponent(source), hour, event: decodeURIComponent(event) };
  // Only `countKey` writes such keys.
  return { ...names, type: type as CountKey['type'], what: what as Counted };
}

/** Makes an event's name fit for a key: well-formed and not too long. */
export function eventName(event: string): string {
  const name = event.length > LONGEST_EVENT ? `${event.slice(0, LONGEST_EVENT - 1)}…` : event;
  return name.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}

export interface CountsOptions {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  /** The history is told what was counted for a source before that is written. */
  readonly history: Pick<History, 'addSource'>;
  onError(error: unknown): void;
}

/** How long counts are gathered before they are written, in ms. A killed process loses the last of them. */
const GATHER_MS = 1_000;

/** The maximum number of counters in one write. */
const PAGE = 1_000;

/** The counters of one source in one hour that are not written yet. */
interface Hour {
  readonly source: string;
  /** Hours since 1970. */
  readonly number: number;
  /** The tallies by type and event. */
  readonly tallies: Map<string, Tally>;
}

interface Tally extends Pick<CountKey, 'type' | 'event'>, Record<Counted, number> {}

/** Counts the messages of sources by hour and event. Counts are kept in memory, which is cheap, and written once a second. */
export class Counts {
  readonly #options: CountsOptions;
  #hours = new Map<string, Hour>();
  /** Counts that the store failed to accept, by source and hour. */
  #unwritten = new Map<string, Hour>();
  /** The events that are counted separately, by source, in the hour that was written last. */
  readonly #known = new Map<string, { readonly hour: string; readonly events: Set<string> }>();
  #cancel: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: CountsOptions) {
    this.#options = options;
  }

  received(source: string, type: MessageTypeName, event: string, isBlocked: boolean): void {
    const tally = this.#tallyOf(this.#hourOf(source).tallies, type, eventName(event));
    tally.received++;
    if (isBlocked) tally.blocked++;
  }

  add(source: string, what: 'rejected' | 'forwarded', count: number): void {
    if (count > 0) this.#tallyOf(this.#hourOf(source).tallies, ALL_TYPES, '')[what] += count;
  }

  /** Resolves when everything counted so far is written, or is kept until the store works again. */
  flush(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    const counted = [...this.#hours.values()];
    this.#hours = new Map();
    for (const hour of counted) this.#options.history.addSource(hour.source, totalsOf(hour));
    const unwritten = [...this.#unwritten.values()];
    this.#unwritten = new Map();
    const hours = [...unwritten, ...counted];
    if (hours.length > 0) this.#writing = this.#writing.then(() => this.#write(hours));
    return this.#writing;
  }

  /** Writes what was counted and makes one more attempt at earlier failed writes. Nothing is written after that. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.flush();
  }

  #tallyOf(tallies: Map<string, Tally>, type: Tally['type'], event: string): Tally {
    const key = `${type}/${event}`;
    const found = tallies.get(key);
    if (found !== undefined) return found;
    // The limit is also applied here, because many events may arrive between two writes.
    const isFull = tallies.size >= MOST_EVENTS && event !== '' && event !== OTHER_EVENTS;
    if (isFull) return this.#tallyOf(tallies, type, OTHER_EVENTS);
    const tally = { type, event, received: 0, blocked: 0, rejected: 0, forwarded: 0 };
    tallies.set(key, tally);
    return tally;
  }

  #hourOf(source: string): Hour {
    const { clock } = this.#options;
    const found = this.#hours.get(source);
    const number = Math.floor(clock.now() / HOUR_MS);
    if (found?.number === number) return found;
    if (found !== undefined) void this.flush();
    this.#flushSoon();
    const opened: Hour = { source, number, tallies: new Map() };
    this.#hours.set(source, opened);
    return opened;
  }

  #flushSoon(): void {
    this.#cancel ??= this.#options.clock.after(GATHER_MS, () => void this.flush());
  }

  async #write(hours: readonly Hour[]): Promise<void> {
    for (const hour of hours) {
      try {
        const increments = await this.#incrementsOf(hour);
        for (let from = 0; from < increments.length; from += PAGE) {
          await this.#options.keyValues.add(increments.slice(from, from + PAGE));
        }
      } catch (error) {
        this.#options.onError(error);
        this.#putBack(hour);
      }
    }
  }

  /** Keeps counts that the store failed to accept. They are counted twice if only the store's reply was lost. */
  #putBack(hour: Hour): void {
    const key = `${hour.number}/${hour.source}`;
    const kept = this.#unwritten.get(key);
    if (kept === undefined) this.#unwritten.set(key, hour);
    else {
      for (const { type, event, ...counts } of hour.tallies.values()) {
        const tally = this.#tallyOf(kept.tallies, type, event);
        for (const what of COUNTED) tally[what] += counts[what];
      }
    }
    if (!this.#isClosed) this.#flushSoon();
  }

  async #incrementsOf({ source, number, tallies }: Hour): Promise<Increment[]> {
    const hour = hourOf(number * HOUR_MS);
    const events = await this.#knownEvents(source, hour);
    const sums = new Map<string, number>();
    for (const { type, event, ...counts } of tallies.values()) {
      if (event !== '' && events.size < MOST_EVENTS) events.add(event);
      const name = event === '' || events.has(event) ? event : OTHER_EVENTS;
      for (const what of COUNTED) {
        const key = countKey({ source, hour, type, event: name, what });
        if (counts[what] > 0) sums.set(key, (sums.get(key) ?? 0) + counts[what]);
      }
    }
    return [...sums].map(([key, by]) => ({ key, by }));
  }

  /** Returns the events that are counted separately, including those of other processes and from before a restart. */
  async #knownEvents(source: string, hour: string): Promise<Set<string>> {
    const known = this.#known.get(source);
    if (known?.hour === hour) return known.events;
    const entries = await this.#options.keyValues.list(hourPrefix(source, hour), undefined, 2 * MOST_EVENTS);
    const events = new Set(entries.map(({ key }) => readCountKey(key)?.event ?? ''));
    events.delete('');
    this.#known.set(source, { hour, events });
    return events;
  }
}

function totalsOf({ tallies }: Hour): Record<Counted, number> {
  const totals = { received: 0, blocked: 0, rejected: 0, forwarded: 0 };
  for (const tally of tallies.values()) for (const what of COUNTED) totals[what] += tally[what];
  return totals;
}
