import { entriesOf, type KeyValueStore } from '../../store/key-value-store.js';
import { nameIn, RANGES, stepOf, stepPrefix } from './steps.js';
import { OF_DESTINATION, type SourceCounts, sourceCounts, Tally } from './tally.js';

type Subject = 'destination' | 'source';

const MINUTES = RANGES['1h'];

const { delivered: DELIVERED, retried: RETRIED, dead: DEAD } = OF_DESTINATION;

const failedIn = (tally: Tally | undefined): number => (tally === undefined ? 0 : tally.of(RETRIED) + tally.of(DEAD));

function sumOf(tallies: readonly (Tally | undefined)[]): Tally {
  const sum = new Tally();
  for (const tally of tallies) if (tally !== undefined) sum.add(tally);
  return sum;
}

/** What was counted in one minute, by name. */
type Minute = Readonly<Record<Subject, ReadonlyMap<string, Tally>>>;

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
  /** The minutes by their number. The one that was read longest ago comes first. */
  readonly #minutes = new Map<number, Minute>();
  /** The first minute that processes could still write to at the last read. */
  #openFrom = 0;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(keyValues: KeyValueStore, now: () => number) {
    this.#keyValues = keyValues;
    this.#now = now;
  }

  /** Reads the attempts of a destination: their number, rate and durations, and a point for each minute, oldest first. */
  async of(destination: string) {
    const minutes = await this.#minutesOf('destination', destination);
    const total = sumOf(minutes);
    const points = minutes.map((tally) => ({ delivered: tally?.of(DELIVERED) ?? 0, failed: failedIn(tally) }));
    const delivered = total.of(DELIVERED);
    const attempts = delivered + failedIn(total);
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
    const delivered = minutes.slice(first).reduce((sum, tally) => sum + (tally?.of(DELIVERED) ?? 0), 0);
    if (delivered === 0) return undefined;
    // A minute has the number of deliveries that waited when it ended.
    const now = this.#now();
    const beganAt = (stepOf(MINUTES, now) - (last - first - 1)) * MINUTES.stepMs;
    return now + ((now - beganAt) * waiting) / (before - waiting);
  }

  async #minutesOf(subject: Subject, name: string): Promise<(Tally | undefined)[]> {
    await this.#refresh();
    const last = stepOf(MINUTES, this.#now());
    return Array.from({ length: MINUTES.count }, (_, index) =>
      this.#minutes.get(last - MINUTES.count + 1 + index)?.[subject].get(name),
    );
  }

  async #refresh(): Promise<void> {
    const elapsedMs = this.#now() - this.#readAt;
    if (elapsedMs < FRESH_MS) return this.#reading;
    this.#readAt = this.#now();
    this.#reading = this.#read(elapsedMs).catch((error: unknown) => {
      this.#readAt = Number.NEGATIVE_INFINITY;
      throw error;
    });
    return this.#reading;
  }

  /**
   * Reads the minutes that may have changed. A minute that had ended at the last read changes only if a process could not write it
   * in time. So ended minutes are read again a few at a time: each after five minutes, however often this is called.
   */
  async #read(elapsedMs: number): Promise<void> {
    const last = stepOf(MINUTES, this.#now());
    const first = last - MINUTES.count + 1;
    const repeated = Math.ceil(elapsedMs / FRESH_MS);
    for (const [index, minute] of [...this.#minutes.keys()].entries())
      if (minute < first || minute >= this.#openFrom || index < repeated) this.#minutes.delete(minute);
    for (let minute = first; minute <= last; minute++) {
      if (!this.#minutes.has(minute))
        this.#minutes.set(minute, {
          destination: await this.#talliesIn('destination', minute),
          source: await this.#talliesIn('source', minute),
        });
    }
    this.#openFrom = last - OPEN_STEPS + 1;
  }

  async #talliesIn(subject: Subject, minute: number): Promise<ReadonlyMap<string, Tally>> {
    const prefix = stepPrefix(subject, MINUTES, minute);
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
