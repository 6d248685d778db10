import type { KeyValueStore } from '../../store/key-value-store.js';
import type { HourCount } from '../api/answer-types.js';
import {
  ALL_TYPES,
  COUNTS,
  type CountKey,
  HOUR_MS,
  hourOf,
  hourPrefix,
  MOST_EVENTS,
  readCountKey,
  sourcePrefix,
} from './counts.js';

/** How long counts are kept, in ms. */
const KEEP_MS = 30 * 24 * HOUR_MS;

export const MOST_HOURS = KEEP_MS / HOUR_MS;

/** More counters than one hour can have: two for each event of each possible type. */
const MOST_COUNTERS = 4 * MOST_EVENTS;

/** The maximum number of lines in one answer. */
const MOST_LINES = 10_000;

/** Reads the counts of the current and earlier hours, ordered by hour (newest first), type and event. */
export async function eventCounts(
  keyValues: KeyValueStore,
  source: string,
  hours: number,
  now: number,
): Promise<HourCount[]> {
  const lines: HourCount[] = [];
  for (let back = 0; back < hours && lines.length < MOST_LINES; back++) {
    lines.push(...linesOf(await countersOf(keyValues, source, hourOf(now - back * HOUR_MS))));
  }
  return lines.slice(0, MOST_LINES);
}

/** Removes counts that are too old, including those of sources that are no longer configured. */
export async function removeOldCounts(keyValues: KeyValueStore, now: number): Promise<void> {
  const oldest = hourOf(now - KEEP_MS);
  for (let after: string | undefined = COUNTS; after !== undefined; ) {
    const [first] = await keyValues.list(COUNTS, after, 1);
    const found = first && readCountKey(first.key);
    if (found === undefined) return;
    const { source, hour } = found;
    if (hour < oldest) await keyValues.removeAll(hourPrefix(source, hour));
    // `0` comes right after `/` in the key order, so this skips all further keys of the source.
    else after = `${sourcePrefix(source).slice(0, -1)}0`;
  }
}

type Counter = CountKey & { readonly count: number };

async function countersOf(keyValues: KeyValueStore, source: string, hour: string): Promise<Counter[]> {
  const entries = await keyValues.list(hourPrefix(source, hour), undefined, MOST_COUNTERS);
  return entries.flatMap(({ key, value }) => {
    const found = readCountKey(key);
    return found === undefined ? [] : [{ ...found, count: Number(value) }];
  });
}

function linesOf(counters: readonly Counter[]): HourCount[] {
  const lines = new Map<string, HourCount>();
  for (const { hour, type, event, what, count } of counters) {
    if (type === ALL_TYPES || (what !== 'received' && what !== 'blocked')) continue;
    const key = `${type}/${event}`;
    const line = lines.get(key) ?? { hour, type, event: event === '' ? null : event, received: 0, blocked: 0 };
    lines.set(key, { ...line, [what]: count });
  }
  return [...lines.values()];
}
