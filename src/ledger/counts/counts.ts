import type { Histogram } from 'prom-client';
import type { Clock } from '../../base/time/clock.js';
import { RULES } from '../../delivery/attempt-outcome.js';
import type { Attempted, Recorder } from '../../destination/reports/recorder.js';
import type { MessageTypeName } from '../../protocol/calls.js';
import { nextQueueKey } from '../../store/event-log.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import type { ProcessValues } from '../process-values.js';
import {
  EVENT_HOURS,
  namePrefix,
  STEPS_OF,
  type Steps,
  type Subject,
  stepIn,
  stepOf,
  stepPrefix,
  stepsPrefix,
} from './steps.js';
import { EventTable, OF_DESTINATION, OF_SOURCE, Tally } from './tally.js';

export interface CountsOptions {
  readonly keyValues: KeyValueStore;
  readonly values: ProcessValues;
  readonly clock: Pick<Clock, 'now'>;
  /** Observes the durations of attempts at all destinations together. */
  readonly durations: Pick<Histogram, 'observe'>;
  /** Returns how many deliveries of each destination wait now. */
  waiting(): Iterable<readonly [destination: string, waiting: number]>;
}

/** A destination or source for which something was counted. */
interface CountedSubject {
  readonly subject: 'destination' | 'source';
  readonly name: string;
  /** What was counted since the last `collect`. */
  since: Tally;
  /** The current tally of this process for each of the steps. */
  readonly current: { readonly step: number; readonly tally: Tally }[];
}

/** The events of a source in one hour. */
interface EventHour {
  /** When it began, in ms since 1970. */
  readonly from: number;
  readonly table: EventTable;
  /** True if something was counted since the last `collect`. */
  isChanged: boolean;
}

/** Counts what destinations and sources do, for an hour, a day and a week, and the events of sources by hour. */
export class Counts implements Recorder {
  readonly #options: CountsOptions;
  readonly #counted = new Map<string, CountedSubject>();
  /** The events of each source in its current hour. */
  readonly #events = new Map<string, EventHour>();

  constructor(options: CountsOptions) {
    this.#options = options;
  }

  record({ destination, attempt, entry }: Attempted): void {
    const { since } = this.#of('destination', destination);
    this.#options.durations.observe(attempt.durationMs / 1_000);
    if (RULES[attempt.result].verdict === 'delivered') since.count(OF_DESTINATION.delivered);
    else if (entry !== undefined && nextQueueKey(entry) !== undefined) since.count(OF_DESTINATION.retried);
    else since.count(OF_DESTINATION.dead);
    if (attempt.status !== undefined) since.took(attempt.durationMs);
  }

  /** Counts a message that a source has sent. @param event the name of a track event; empty for the other types */
  received(source: string, type: MessageTypeName, event: string, isBlocked: boolean): void {
    const { since } = this.#of('source', source);
    since.count(OF_SOURCE.received);
    if (isBlocked) since.count(OF_SOURCE.blocked);
    const hour = this.#eventsOf(source);
    hour.table.count(type, event, isBlocked);
    hour.isChanged = true;
  }

  add(source: string, what: 'rejected' | 'forwarded', count: number): void {
    this.#of('source', source).since.count(OF_SOURCE[what], count);
  }

  /** Adds what was counted to the totals that are written next. */
  collect(): void {
    const now = this.#options.clock.now();
    for (const [name, count] of this.#options.waiting())
      if (count > 0 || this.#counted.has(keyOf('destination', name)))
        this.#of('destination', name).since.waits(count, now);
    for (const counted of this.#counted.values()) this.#collect(counted, now);
    for (const [source, hour] of this.#events) this.#setEvents(source, hour);
  }

  /** Removes steps that are too old. */
  async sweep(): Promise<void> {
    for (const [subject, all] of Object.entries(STEPS_OF) as [Subject, readonly Steps[]][])
      for (const steps of all) await this.#sweep(subject, steps);
  }

  #of(subject: CountedSubject['subject'], name: string): CountedSubject {
    const key = keyOf(subject, name);
    const found = this.#counted.get(key);
    if (found !== undefined) return found;
    const counted = { subject, name, since: new Tally(), current: [] };
    this.#counted.set(key, counted);
    return counted;
  }

  #eventsOf(source: string): EventHour {
    const now = this.#options.clock.now();
    const found = this.#events.get(source);
    if (found !== undefined && now >= found.from && now < found.from + EVENT_HOURS.stepMs) return found;
    if (found !== undefined) this.#setEvents(source, found);
    const from = stepOf(EVENT_HOURS, now) * EVENT_HOURS.stepMs;
    const opened = { from, table: new EventTable(), isChanged: false };
    this.#events.set(source, opened);
    return opened;
  }

  #setEvents(source: string, hour: EventHour): void {
    if (!hour.isChanged) return;
    hour.isChanged = false;
    const { from, table } = hour;
    const step = stepOf(EVENT_HOURS, from);
    this.#options.values.set(namePrefix('events', EVENT_HOURS, step, source), () => table.encode());
  }

  /** Sets nothing if nothing happened, which is the usual case for most destinations and sources. */
  #collect(counted: CountedSubject, now: number): void {
    const { subject, name, since, current } = counted;
    for (const [index, steps] of STEPS_OF[subject].entries()) {
      const step = stepOf(steps, now);
      const last = current[index]?.step === step ? current[index].tally : undefined;
      if (since.isEmpty && (since.waiting ?? 0) === (last?.waiting ?? 0)) continue;
      counted.since = new Tally();
      const tally = last ?? new Tally();
      tally.waiting = undefined;
      tally.add(since);
      current[index] = { step, tally };
      this.#options.values.set(namePrefix(subject, steps, step, name), () => tally.encode());
    }
  }

  async #sweep(subject: Subject, steps: Steps): Promise<void> {
    const { keyValues, clock } = this.#options;
    const prefix = stepsPrefix(subject, steps);
    const oldest = stepOf(steps, clock.now()) - steps.count;
    for (;;) {
      const [first] = await keyValues.list(prefix, undefined, 1);
      const step = first && stepIn(first.key, prefix);
      if (step === undefined || step > oldest) return;
      await keyValues.removeAll(stepPrefix(subject, steps, step));
    }
  }
}

const keyOf = (subject: CountedSubject['subject'], name: string): string => `${subject}/${name}`;
