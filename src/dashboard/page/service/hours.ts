import type { HourCount } from '../../../service/api/answer-types.js';

const HOUR_MS = 60 * 60_000;

/** The counts of one event, or of all messages of another type. */
export interface EventTotal {
  /** The name of the event; empty for types that have none. */
  readonly event: string;
  readonly type: string;
  received: number;
  blocked: number;
  /** The number of received events in each hour, oldest first. */
  readonly byHour: number[];
}

/** Returns the names of the last hours in the form that the service uses, in UTC, oldest first. The last hour is not over yet. */
export function lastHours(count: number, nowMs: number): readonly string[] {
  const starts = Array.from({ length: count }, (_, index) => nowMs - (count - 1 - index) * HOUR_MS);
  return starts.map((ms) => new Date(ms).toISOString().slice(0, 13));
}

/** Counts each event in the given hours, most frequent first. */
export function countEvents(counts: readonly HourCount[], hours: readonly string[]): readonly EventTotal[] {
  const events = new Map<string, EventTotal>();
  for (const { hour, event, type, received, blocked } of counts) {
    const key = `${type} ${event ?? ''}`;
    const sum = events.get(key) ?? { event: event ?? '', type, received: 0, blocked: 0, byHour: hours.map(() => 0) };
    events.set(key, sum);
    const at = hours.indexOf(hour);
    if (at === -1) continue;
    sum.received += received;
    sum.blocked += blocked;
    sum.byHour[at] = (sum.byHour[at] ?? 0) + received;
  }
  return [...events.values()].filter(({ received }) => received > 0).sort((a, b) => b.received - a.received);
}
