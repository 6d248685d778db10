import type { Clock } from '../../clock.js';
import type { MessageTypeName } from '../../protocol/message.js';
import type { Increment, KeyValueStore } from '../../store/key-value-store.js';
import {
  ALL_TYPES,
  type Counted,
  countKey,
  eventName,
  hourOf,
  hourPrefix,
  MOST_EVENTS,
  OTHER_EVENTS,
  readCountKey,
} from './count-keys.js';

export interface CountsOptions {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  onError(error: unknown): void;
}

/** How long counts are gathered before they are written, in ms. A process that is killed loses so much of them. */
const GATHER_MS = 1_000;

/** The most counters written at once. */
const PAGE = 1_000;

/** The counters of one source in one hour that are not written yet. */
interface Hour {
  readonly source: string;
  readonly hour: string;
  /** By type, then by event. */
  readonly tracked: Map<string, Tally>;
  readonly totals: Record<'rejected' | 'forwarded', number>;
}

interface Tally {
  readonly type: MessageTypeName;
  readonly event: string;
  received: number;
  blocked: number;
}

/**
 * Counts what sources send, by hour and by event. Gathered in memory and written once a second: a message costs no more
 * than adding one.
 */
export class Counts {
  readonly #options: CountsOptions;
  #hours = new Map<string, Hour>();
  /** The events that have counters of their own, by source; of the hour that is written. */
  readonly #known = new Map<string, { readonly hour: string; readonly events: Set<string> }>();
  #cancel: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: CountsOptions) {
    this.#options = options;
  }

  received(source: string, type: MessageTypeName, event: string, isBlocked: boolean): void {
    const tally = this.#tallyOf(this.#hourOf(source).tracked, type, event === '' ? '' : eventName(event));
    tally.received++;
    if (isBlocked) tally.blocked++;
  }

  add(source: string, what: 'rejected' | 'forwarded', count: number): void {
    if (count > 0) this.#hourOf(source).totals[what] += count;
  }

  /** Resolves once everything counted so far is written, or could not be. */
  flush(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    const hours = this.#hours;
    this.#hours = new Map();
    if (hours.size > 0) this.#writing = this.#writing.then(() => this.#write(hours));
    return this.#writing;
  }

  #tallyOf(tracked: Map<string, Tally>, type: MessageTypeName, event: string): Tally {
    const key = `${type}/${event}`;
    const found = tracked.get(key);
    if (found !== undefined) return found;
    // Bounded here too: much may come between two writes.
    const isFull = tracked.size >= MOST_EVENTS && event !== '' && event !== OTHER_EVENTS;
    if (isFull) return this.#tallyOf(tracked, type, OTHER_EVENTS);
    const tally = { type, event, received: 0, blocked: 0 };
    tracked.set(key, tally);
    return tally;
  }

  #hourOf(source: string): Hour {
    const { clock } = this.#options;
    const found = this.#hours.get(source);
    const hour = hourOf(clock.now());
    if (found?.hour === hour) return found;
    if (found !== undefined) void this.flush();
    this.#cancel ??= clock.after(GATHER_MS, () => void this.flush());
    const opened: Hour = { source, hour, tracked: new Map(), totals: { rejected: 0, forwarded: 0 } };
    this.#hours.set(source, opened);
    return opened;
  }

  async #write(hours: ReadonlyMap<string, Hour>): Promise<void> {
    for (const hour of hours.values()) {
      try {
        const increments = await this.#incrementsOf(hour);
        for (let from = 0; from < increments.length; from += PAGE) {
          await this.#options.keyValues.add(increments.slice(from, from + PAGE));
        }
      } catch (error) {
        this.#options.onError(error);
      }
    }
  }

  async #incrementsOf({ source, hour, tracked, totals }: Hour): Promise<Increment[]> {
    const events = await this.#knownEvents(source, hour);
    const sums = new Map<string, number>();
    const sum = (type: Tally['type'] | typeof ALL_TYPES, event: string, what: Counted, by: number): void => {
      if (by === 0) return;
      const key = countKey({ source, hour, type, event, what });
      sums.set(key, (sums.get(key) ?? 0) + by);
    };
    for (const { type, event, received, blocked } of tracked.values()) {
      if (event !== '' && events.size < MOST_EVENTS) events.add(event);
      const name = event === '' || events.has(event) ? event : OTHER_EVENTS;
      sum(type, name, 'received', received);
      sum(type, name, 'blocked', blocked);
    }
    sum(ALL_TYPES, '', 'rejected', totals.rejected);
    sum(ALL_TYPES, '', 'forwarded', totals.forwarded);
    return [...sums].map(([key, by]) => ({ key, by }));
  }

  /** What was counted before this process was started, or by another, takes part in the bound. */
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
