import type { Backlog } from '../store/event-store.js';

/** The limits on what may wait. A limit that is not set is Infinity. */
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

/** Returns how many of the oldest deliveries exceed the limits. Bytes are converted by the mean size. */
export function excessOf({ first, retry, bytes }: Pick<Backlog, 'first' | 'retry' | 'bytes'>, limit: Bounds): number {
  const waiting = first + retry;
  const byBytes = bytes > limit.bytes ? Math.ceil((bytes - limit.bytes) / (bytes / waiting)) : 0;
  return Math.max(0, waiting - limit.events, byBytes);
}
