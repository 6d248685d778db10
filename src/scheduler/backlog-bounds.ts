import type { Backlog } from '../store/event-store.js';

/** Infinite where there is no limit. */
export interface Bounds {
  readonly events: number;
  readonly bytes: number;
  readonly ageMs: number;
}

export const UNBOUNDED: Bounds = {
  events: Number.POSITIVE_INFINITY,
  bytes: Number.POSITIVE_INFINITY,
  ageMs: Number.POSITIVE_INFINITY,
};

/** Counts the oldest deliveries that are too many. Bytes become deliveries by their mean size, as single sizes are not known. */
export function excessOf({ first, retry, bytes }: Pick<Backlog, 'first' | 'retry' | 'bytes'>, limit: Bounds): number {
  const waiting = first + retry;
  const byBytes = bytes > limit.bytes ? Math.ceil((bytes - limit.bytes) / (bytes / waiting)) : 0;
  return Math.max(0, waiting - limit.events, byBytes);
}
