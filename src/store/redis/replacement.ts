import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { RedisCounts } from './redis-counts.js';
import type { Line, RedisKeys, WayLine } from './redis-keys.js';
import { isShort, type Read, textOf } from './stored-text.js';

/** An event that is to stand in the place of what it was. */
export interface Replacement {
  readonly id: string;
  readonly keys: { readonly events: string; readonly bodies: string; readonly counts: string };
  /** The event as it was read; undefined where it was implied. */
  readonly was: string | undefined;
  /** Where it waits, where it was implied. */
  readonly stands: WayLine | undefined;
  /** Its message, which it lets go of when it is forgotten; undefined where it has a body of its own. */
  readonly ref: string | undefined;
  /** Undefined: it is forgotten, with its body. */
  readonly is: string | undefined;
  readonly bytes: number;
  /** The indexes it leaves. */
  readonly leaves: readonly string[];
  /** Where it waits for its first attempt no more, claimed or not. */
  readonly begins: readonly WayLine[];
  /** The indexes it enters. */
  readonly enters: readonly Line[];
  /** Fields of the counts and what is added to each. */
  readonly counts: readonly (readonly [field: string, change: number])[];
}

/** @param next undefined: the event is forgotten */
export function replacementOf(
  { event, text, ref }: Read,
  next: StoredEvent | undefined,
  { keys, counts }: { readonly keys: RedisKeys; readonly counts: RedisCounts },
): Replacement {
  const before = keys.linesOf(event);
  const after = next === undefined ? [] : keys.linesOf(next);
  const isIn = (lines: readonly Line[]) => (line: Line) =>
    lines.some(({ key, at }) => key === line.key && at === line.at);
  const left = before.filter((line) => !isIn(after)(line));
  return {
    id: event.id,
    keys,
    ref,
    was: text,
    stands: text === undefined ? keys.wayTo(Object.keys(event.urls)).lines[0] : undefined,
    is: next && textOf(next, ref, text === undefined || isShort(text) ? event.bytes : undefined),
    bytes: event.bytes ?? 0,
    leaves: left.flatMap(({ key, url }) => (url === undefined ? key : [])),
    begins: left.flatMap(({ url }) => (url === undefined ? [] : keys.wayTo([url]).lines)),
    enters: after.filter((line) => !isIn(before)(line)),
    counts: counts.changes(event, next),
  };
}
