import type { HourCount } from '../../../service/api/answer-types.js';

const HOUR_MS = 60 * 60_000;

/** The counts of one event, or of all messages of another type. */
export interface EventCount {
  /** The name of the event; empty for types that have none. */
  readonly event: string;
  readonly type: string;
  readonly received: number;
  readonly blocked: number;
  /** The number of received events in each hour, oldest first. */
  readonly byHour: readonly number[];
}

/** Returns the names of the last hours in the form that the service uses, in UTC, oldest first. The last hour is not over yet. */
export function lastHours(count: number, nowMs: number): readonly string[] {
  const starts = Array.from({ length: count }, (_, index) => nowMs - (count - 1 - index) * HOUR_MS);
  return starts.map((ms) => new Date(ms).toISOString().slice(0, 13));
}

/** Counts each event in the given hours, most frequent first. */
export function countEvents(counts: readonly HourCount[], hours: readonly string[]): readonly EventCount[] {
  const events = groupsOf(counts).map((group) => {
    const byHour = hours.map((hour) => sum(group.filter((each) => each.hour === hour).map(({ received }) => received)));
    const blocked = sum(group.filter(({ hour }) => hours.includes(hour)).map((each) => each.blocked));
    return { event: group[0]?.event ?? '', type: group[0]?.type ?? '', received: sum(byHour), blocked, byHour };
  });
  return events.filter(({ received }) => received > 0).sort((a, b) => b.received - a.received);
}

function groupsOf(counts: readonly HourCount[]): readonly (readonly HourCount[])[] {
  const groups = new Map<string, HourCount[]>();
  for (const count of counts) {
    const key = `${count.type} ${count.event ?? ''}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [count]);
    else group.push(count);
  }
  return [...groups.values()];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
