import { entriesOf, type KeyValueStore } from '../../store/key-value-store.js';
import type { DestinationHistory, HistoryRange, LastHour, SourceHistory } from '../api/history-answers.js';
import { iso } from '../api/iso.js';
import { OF_DESTINATION, OF_SOURCE, type SourceCounts, Tally } from './history.js';
import { type Kind, nameIn, namePrefix, STEPS, stepOf, stepPrefix } from './history-steps.js';

const { delivered: DELIVERED, retried: RETRIED, dead: DEAD } = OF_DESTINATION;

/** More than the processes that can share a storage, including those that ended within a step. */
const MOST_PROCESSES = 1_000;

/** Reads what all processes counted in each step of the range, oldest first. */
async function tallies(
  keyValues: KeyValueStore,
  { kind, name, range, now }: { kind: Kind; name: string; range: HistoryRange; now: number },
): Promise<{ at: string; tally: Tally }[]> {
  const steps = STEPS[range];
  const last = stepOf(steps, now);
  const numbers = Array.from({ length: steps.count }, (_, index) => last - steps.count + 1 + index);
  return Promise.all(
    numbers.map(async (step) => {
      const entries = await keyValues.list(namePrefix(kind, steps, step, name), undefined, MOST_PROCESSES);
      const tally = new Tally();
      for (const { value } of entries) tally.add(Tally.decode(value));
      return { at: iso(step * steps.stepMs), tally };
    }),
  );
}

export interface Asked {
  readonly name: string;
  readonly range: HistoryRange;
  /** In ms since 1970. */
  readonly now: number;
}

export async function destinationHistory(keyValues: KeyValueStore, asked: Asked): Promise<DestinationHistory> {
  const all = await tallies(keyValues, { kind: 'destination', ...asked });
  const points = all.map(({ at, tally }) => ({
    at,
    delivered: countOf(tally, DELIVERED),
    retried: countOf(tally, RETRIED),
    dead: countOf(tally, DEAD),
    p50Ms: tally.quantile(0.5),
    p95Ms: tally.quantile(0.95),
    waiting: tally.waiting ?? null,
  }));
  return { stepMs: STEPS[asked.range].stepMs, points };
}

export async function sourceHistory(keyValues: KeyValueStore, asked: Asked): Promise<SourceHistory> {
  const all = await tallies(keyValues, { kind: 'source', ...asked });
  const points = all.map(({ at, tally }) => ({ at, ...sourceCounts(tally) }));
  return { stepMs: STEPS[asked.range].stepMs, points };
}

const sourceCounts = (tally: Tally): SourceCounts => ({
  received: countOf(tally, OF_SOURCE.received),
  rejected: countOf(tally, OF_SOURCE.rejected),
  blocked: countOf(tally, OF_SOURCE.blocked),
  forwarded: countOf(tally, OF_SOURCE.forwarded),
});

const countOf = ({ counts }: Tally, index: number): number => counts[index] ?? 0;

function sumOf(tallies: readonly (Tally | undefined)[]): Tally {
  const sum = new Tally();
  for (const tally of tallies) if (tally !== undefined) sum.add(tally);
  return sum;
}

/** What was counted in one minute, by name. */
type Minute = Readonly<Record<Kind, ReadonlyMap<string, Tally>>>;

/** How long a read is reused, in ms. */
const FRESH_MS = 5_000;

/** The backlog is compared with that of this many minutes ago. */
const TREND_MINUTES = 5;

/** How many steps processes may still write to: the current one and the one before. */
const OPEN_STEPS = 2;

/** The last hour of every destination and source, kept in memory so that a list of hundreds is cheap. */
export class LastHours {
  readonly #keyValues: KeyValueStore;
  readonly #now: () => number;
  /** The minutes by their number, oldest first. */
  readonly #minutes = new Map<number, Minute>();
  /** The first minute that processes could still write to at the last read. */
  #openFrom = 0;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(keyValues: KeyValueStore, now: () => number) {
    this.#keyValues = keyValues;
    this.#now = now;
  }

  async of(destination: string): Promise<LastHour> {
    const minutes = await this.#minutesOf('destination', destination);
    const total = sumOf(minutes);
    const points = minutes.map((tally) => ({
      delivered: tally === undefined ? 0 : countOf(tally, DELIVERED),
      failed: tally === undefined ? 0 : countOf(tally, RETRIED) + countOf(tally, DEAD),
    }));
    const delivered = countOf(total, DELIVERED);
    const attempts = delivered + countOf(total, RETRIED) + countOf(total, DEAD);
    return {
      attempts,
      successRate: attempts === 0 ? null : delivered / attempts,
      p50Ms: total.quantile(0.5),
      p95Ms: total.quantile(0.95),
      points,
    };
  }

  async ofSource(source: string): Promise<SourceCounts> {
    return sourceCounts(sumOf(await this.#minutesOf('source', source)));
  }

  /**
   * Estimates when the backlog of a destination will be empty at the pace of the last minutes, in ms since 1970. Returns
   * undefined if the backlog does not shrink, or shrinks only by discards and dead letters.
   */
  async doneAt(destination: string, waiting: number): Promise<number | undefined> {
    const minutes = await this.#minutesOf('destination', destination);
    const last = minutes.length - 1;
    const first = minutes.findIndex((tally, index) => index >= last - TREND_MINUTES && tally?.waiting !== undefined);
    const before = minutes[first]?.waiting;
    if (before === undefined || before <= waiting || first === last) return undefined;
    const delivered = minutes.slice(first).reduce((sum, tally) => sum + (tally?.counts[0] ?? 0), 0);
    if (delivered === 0) return undefined;
    // Each minute holds the number at its end.
    const now = this.#now();
    const beganAt = (stepOf(STEPS['1h'], now) - (last - first - 1)) * STEPS['1h'].stepMs;
    return now + ((now - beganAt) * waiting) / (before - waiting);
  }

  async #minutesOf(kind: Kind, name: string): Promise<(Tally | undefined)[]> {
    await this.#refresh();
    const last = stepOf(STEPS['1h'], this.#now());
    return Array.from({ length: STEPS['1h'].count }, (_, index) =>
      this.#minutes.get(last - STEPS['1h'].count + 1 + index)?.[kind].get(name),
    );
  }

  async #refresh(): Promise<void> {
    if (this.#now() - this.#readAt < FRESH_MS) return this.#reading;
    this.#readAt = this.#now();
    this.#reading = this.#read().catch((error: unknown) => {
      this.#readAt = Number.NEGATIVE_INFINITY;
      throw error;
    });
    return this.#reading;
  }

  /** Reads the minutes that may have changed. Minutes that had ended at the last read do not change any more. */
  async #read(): Promise<void> {
    const last = stepOf(STEPS['1h'], this.#now());
    const first = last - STEPS['1h'].count + 1;
    for (const minute of this.#minutes.keys()) if (minute < first) this.#minutes.delete(minute);
    for (let minute = first; minute <= last; minute++) {
      if (minute >= this.#openFrom || !this.#minutes.has(minute))
        this.#minutes.set(minute, await this.#readMinute(minute));
    }
    this.#openFrom = last - OPEN_STEPS + 1;
  }

  async #readMinute(minute: number): Promise<Minute> {
    return {
      destination: await this.#talliesIn('destination', minute),
      source: await this.#talliesIn('source', minute),
    };
  }

  async #talliesIn(kind: Kind, minute: number): Promise<ReadonlyMap<string, Tally>> {
    const prefix = stepPrefix(kind, STEPS['1h'], minute);
    const byName = new Map<string, Tally>();
    for await (const { key, value } of entriesOf(this.#keyValues, prefix)) {
      const name = nameIn(key, prefix);
      const tally = byName.get(name) ?? new Tally();
      tally.add(Tally.decode(value));
      byName.set(name, tally);
    }
    return byName;
  }
}
