import type { MessageTypeName } from '../../protocol/message.js';

/** The counts of a source; the last two for all types together. */
export const COUNTED = ['received', 'blocked', 'rejected', 'forwarded'] as const;
export type Counted = (typeof COUNTED)[number];

/** One counter: of a source, in an hour of UTC as `2026-11-20T12`. */
export interface CountKey {
  readonly source: string;
  readonly hour: string;
  /** `*` for all types together. */
  readonly type: MessageTypeName | typeof ALL_TYPES;
  /** Empty for other types than track. */
  readonly event: string;
  readonly what: Counted;
}

export const ALL_TYPES = '*';

/** Further events of one source in one hour are counted together, so that a source cannot fill the store. */
export const MOST_EVENTS = 1_000;
export const OTHER_EVENTS = '(other)';

/** Longer names are cut to fit into a key. In UTF-16 code units. */
const LONGEST_EVENT = 80;

export const COUNTS = 'counts/';

export const HOUR_MS = 60 * 60_000;

export const hourOf = (ms: number): string => new Date(ms).toISOString().slice(0, 13);

export const sourcePrefix = (source: string): string => `${COUNTS}${encodeURIComponent(source)}/`;

export const hourPrefix = (source: string, hour: string): string => `${sourcePrefix(source)}${hour}/`;

export const countKey = ({ source, hour, type, event, what }: CountKey): string =>
  `${hourPrefix(source, hour)}${type}/${encodeURIComponent(event)}/${what}`;

/** Undefined when it is no key of a counter. */
export function readCountKey(key: string): CountKey | undefined {
  const [, source, hour, type, event, what] = key.split('/');
  if (source === undefined || hour === undefined || event === undefined) return undefined;
  const names = { source: decodeURIComponent(source), hour, event: decodeURIComponent(event) };
  // Only `countKey` writes such keys.
  return { ...names, type: type as CountKey['type'], what: what as Counted };
}

/** The event as it is in a key: well-formed, and not too long. */
export function eventName(event: string): string {
  const name = event.length > LONGEST_EVENT ? `${event.slice(0, LONGEST_EVENT - 1)}…` : event;
  return name.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}
