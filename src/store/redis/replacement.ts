import type { StoredEvent } from '../../delivery/completion-rule.js';
import { laneUser } from '../lanes.js';
import type { RedisCounts } from './redis-counts.js';
import type { Entry, LineKeys, RedisKeys } from './redis-keys.js';
import { isShort, type Read, textOf } from './stored-text.js';

/** A sorted set that an event enters. */
export interface Enter {
  readonly key: string;
  readonly at: number;
  /** The kind of set: `f` untried, `l` untried in a lane, `t` timed, `d` dead. */
  readonly kind: 'f' | 'l' | 't' | 'd';
  /** The line's name; empty for dead letters. */
  readonly name: string;
  /** The line of the lane, if it enters one. */
  readonly line?: LineKeys;
}

/** A lane that a delivery of an ordered event enters or leaves. */
export interface LaneChange {
  readonly line: LineKeys;
  /** Its score if it enters; undefined if it leaves. */
  readonly at: number | undefined;
}

/** A change of one event from the state that was read. */
export interface Replacement {
  readonly id: string;
  readonly keys: { readonly events: string; readonly counts: string };
  /** The event's own record as it was read; undefined if it had none. */
  readonly was: string | undefined;
  /** The line it waits in, if it had no record of its own. */
  readonly stands: LineKeys | undefined;
  /** The key of its message. A removed event gives up its reference. */
  readonly ref: string;
  /** The new record; undefined to remove the event. */
  readonly is: string | undefined;
  /** The sets that it leaves, except first attempts. */
  readonly leaves: readonly string[];
  /** The lines where its first attempt no longer waits, claimed or not. */
  readonly begins: readonly LineKeys[];
  readonly enters: readonly Enter[];
  readonly laneChanges: readonly LaneChange[];
  /** The user whose lanes it is in, if it is ordered. */
  readonly user: string | undefined;
  /** The counts that change, and by how much. */
  readonly counts: readonly (readonly [field: string, change: number])[];
}

/** @param next the new state; undefined to remove the event */
export function replacementOf(
  { event, text, ref }: Read,
  next: StoredEvent | undefined,
  { keys, counts }: { readonly keys: RedisKeys; readonly counts: RedisCounts },
): Replacement {
  const before = keys.entriesOf(event);
  const after = next === undefined ? [] : keys.entriesOf(next);
  const isIn = (entries: readonly Entry[]) => (entry: Entry) =>
    entries.some(({ key, at }) => key === entry.key && at === entry.at);
  const left = before.filter((entry) => !isIn(after)(entry));
  const user = laneUser(event);
  const laneChanges = user === undefined ? [] : laneChangesOf(before, after, keys);
  const isByLane = ({ key }: Entry): boolean =>
    laneChanges.some(({ line, at }) => at !== undefined && line.first === key);
  return {
    id: event.id,
    keys,
    ref,
    was: text,
    stands: text === undefined ? keys.wayTo(Object.keys(event.urls)).lines[0] : undefined,
    is: next && textOf(next, ref, text === undefined || isShort(text) ? event.bytes : undefined),
    leaves: left.flatMap(({ key, waits }) => (waits?.stage === 'first' ? [] : key)),
    begins: left.flatMap(({ waits }) => (waits?.stage === 'first' ? keys.line(waits.url) : [])),
    enters: after.filter((entry) => !isIn(before)(entry) && !isByLane(entry)).map((entry) => enterOf(entry, keys)),
    laneChanges,
    user,
    counts: counts.changes(event, next),
  };
}

/** A delivery stays in its lane as long as it waits at the URL, whether for its first attempt or a retry. */
function laneChangesOf(before: readonly Entry[], after: readonly Entry[], keys: RedisKeys): LaneChange[] {
  const missingIn = (entries: readonly Entry[], { waits }: Entry): boolean =>
    waits !== undefined && !entries.some((entry) => entry.waits?.url === waits.url);
  const left = before.filter((entry) => missingIn(after, entry)).map((entry) => ({ ...entry, at: undefined }));
  const entered = after.filter((entry) => missingIn(before, entry));
  return [...left, ...entered].flatMap(({ at, waits }) =>
    waits === undefined ? [] : { line: keys.line(waits.url), at },
  );
}

export function enterOf({ key, at, waits }: Entry, keys: RedisKeys, user?: string): Enter {
  if (waits === undefined) return { key, at, kind: 'd', name: '' };
  const line = keys.line(waits.url);
  const { name } = line;
  if (waits.stage === 'retry') return { key, at, kind: 't', name };
  return user === undefined ? { key, at, kind: 'f', name } : { key, at, kind: 'l', name, line };
}
