import { entriesOf, type KeyValueStore } from '../../store/key-value-store.js';
import { EVENT_HOURS, namePrefix, RANGES, type Range, stepOf } from './steps.js';
import { type EventCount, EventTable, Tally } from './tally.js';

export interface TallyQuery {
  readonly subject: 'destination' | 'source';
  readonly name: string;
  readonly range: Range;
  /** In ms since 1970. */
  readonly now: number;
}

/** What all processes counted in one step. */
export interface CountedStep {
  /** When the step began, in ms since 1970. */
  readonly at: number;
  readonly tally: Tally;
}

/** Reads what all processes counted in each step of the range, oldest first. */
export function readTallies(
  keyValues: KeyValueStore,
  { subject, name, range, now }: TallyQuery,
): Promise<CountedStep[]> {
  const steps = RANGES[range];
  const last = stepOf(steps, now);
  const numbers = Array.from({ length: steps.count }, (_, index) => last - steps.count + 1 + index);
  return Promise.all(
    numbers.map(async (step) => {
      const tally = new Tally();
      for await (const { value } of entriesOf(keyValues, namePrefix(subject, steps, step, name)))
        tally.add(Tally.decode(value));
      return { at: step * steps.stepMs, tally };
    }),
  );
}

/** The maximum number of lines in one answer. */
const MOST_LINES = 10_000;

/** The messages of one type and event in one hour. */
export interface HourEventCount extends EventCount {
  /** The hour in UTC: `2026-11-20T12`. */
  readonly hour: string;
}

/** Reads the events of a source in the current and earlier hours, ordered by hour (newest first), type and event. */
export async function readEvents(
  keyValues: KeyValueStore,
  source: string,
  hours: number,
  now: number,
): Promise<HourEventCount[]> {
  const lines: HourEventCount[] = [];
  const last = stepOf(EVENT_HOURS, now);
  for (let step = last; step > last - hours && lines.length < MOST_LINES; step--) {
    const table = new EventTable();
    for await (const { value } of entriesOf(keyValues, namePrefix('events', EVENT_HOURS, step, source)))
      table.add(value);
    const hour = new Date(step * EVENT_HOURS.stepMs).toISOString().slice(0, 13);
    lines.push(...table.counts().map((count) => ({ hour, ...count })));
  }
  return lines.slice(0, MOST_LINES);
}
