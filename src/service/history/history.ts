import { randomBytes } from 'node:crypto';
import type { Histogram } from 'prom-client';
import { parseJson } from '../../base/text/decode.js';
import type { Clock } from '../../base/time/clock.js';
import { startInterval } from '../../base/time/interval.js';
import { RULES } from '../../delivery/attempt-outcome.js';
import type { Attempted, Recorder } from '../../destination/reports/recorder.js';
import { nextQueueKey } from '../../store/event-log.js';
import type { Change, KeyValueStore } from '../../store/key-value-store.js';
import { nextFlight } from '../turns.js';
import { type Kind, kindPrefix, namePrefix, STEPS, stepIn, stepOf, stepPrefix } from './history-steps.js';

/** The counts of one destination or source. */
export class Tally {
  /** For a destination: delivered, retried, dead. For a source: received, rejected, blocked, forwarded. */
  readonly counts: number[] = [0, 0, 0, 0];
  /** The number of answers in each bucket of durations. */
  readonly durations = new Map<number, number>();
  /** How many deliveries waited when they were last counted. */
  waiting: number | undefined;

  get isEmpty(): boolean {
    return this.counts.every((count) => count === 0);
  }

  count(index: number, by = 1): void {
    this.counts[index] = (this.counts[index] ?? 0) + by;
  }

  took(ms: number): void {
    const bucket = bucketOf(ms);
    this.durations.set(bucket, (this.durations.get(bucket) ?? 0) + 1);
  }

  add({ counts, durations, waiting }: Tally): void {
    for (const [index, count] of counts.entries()) this.count(index, count);
    for (const [bucket, count] of durations) this.durations.set(bucket, (this.durations.get(bucket) ?? 0) + count);
    // All processes see the same waiting deliveries, so their numbers are not added.
    if (waiting !== undefined) this.waiting = Math.max(waiting, this.waiting ?? 0);
  }

  /** Returns the time in ms that this share of the answers did not exceed, to within a tenth; null without answers. */
  quantile(share: number): number | null {
    const sorted = [...this.durations].toSorted(([one], [other]) => one - other);
    const total = sorted.reduce((sum, [, count]) => sum + count, 0);
    let seen = 0;
    for (const [bucket, count] of sorted) {
      seen += count;
      if (seen >= total * share) return middleOf(bucket);
    }
    return null;
  }

  encode(): string {
    return JSON.stringify([this.counts, [...this.durations].flat(), this.waiting ?? null]);
  }

  /** Decodes a tally. A damaged text gives an empty one, so that it does not hide what other processes have counted. */
  static decode(text: string): Tally {
    const [counts, durations, waiting] = (parseJson(text) ?? [[], [], null]) as [number[], number[], number | null];
    const tally = new Tally();
    for (const [index, count] of counts.entries()) tally.count(index, count);
    for (let at = 0; at < durations.length; at += 2) tally.durations.set(durations[at] ?? 0, durations[at + 1] ?? 0);
    tally.waiting = waiting ?? undefined;
    return tally;
  }
}

/** The number of buckets for each doubling of the duration. Each is about a fifth wide. */
const FINENESS = 4;

const bucketOf = (ms: number): number => (ms < 1 ? 0 : Math.floor(Math.log2(ms) * FINENESS) + 1);

function middleOf(bucket: number): number {
  const middle = bucket === 0 ? 0.5 : 2 ** ((bucket - 0.5) / FINENESS);
  return middle < 10 ? Math.round(middle * 10) / 10 : Math.round(middle);
}

export interface HistoryOptions {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  /** Observes the durations of attempts at all destinations together. */
  readonly durations: Histogram;
  /** Returns how many deliveries of each destination wait now. */
  waiting(): Iterable<readonly [destination: string, waiting: number]>;
  onError(error: unknown): void;
}

/** The interval in ms at which counts are written. A process that is killed loses up to this much. */
const WRITE_MS = 5_000;

const MOST_AT_ONCE = 1_000;

const ALL_STEPS = Object.values(STEPS);
const KINDS = ['destination', 'source'] as const;

/** The indexes of the counts in a tally. */
export const OF_DESTINATION = { delivered: 0, retried: 1, dead: 2 } as const;
export const OF_SOURCE = { received: 0, rejected: 1, blocked: 2, forwarded: 3 } as const;

export type SourceCounts = Readonly<Record<keyof typeof OF_SOURCE, number>>;

const keyOf = (kind: Kind, name: string): string => `${kind}/${name}`;

/** A destination or source for which something was counted. */
interface Counted {
  readonly kind: Kind;
  readonly name: string;
  /** What was counted since the last write. */
  since: Tally;
  /** The tally that this process wrote last, for each of the steps. */
  readonly written: { readonly step: number; readonly tally: Tally }[];
}

/** Counts what destinations and sources do, for an hour, a day and a week. Counts are written every five seconds. */
export class History implements Recorder {
  readonly #options: HistoryOptions;
  readonly #process = randomBytes(4).toString('hex');
  readonly #counted = new Map<string, Counted>();
  /** Changes that the store has not accepted yet. A later value of a key replaces an earlier one. */
  readonly #unwritten = new Map<string, Change>();
  readonly #stop: () => void;
  /** Resolves when everything counted so far is written, or the write has failed. */
  readonly flush: () => Promise<void>;

  constructor(options: HistoryOptions) {
    const { clock, onError } = options;
    this.#options = options;
    this.flush = nextFlight(() => this.#write().catch(onError));
    this.#stop = startInterval({ clock, everyMs: WRITE_MS, act: this.flush, onError });
  }

  record({ destination, attempt, entry }: Attempted): void {
    const { since } = this.#of('destination', destination);
    this.#options.durations.observe(attempt.durationMs / 1_000);
    if (RULES[attempt.result].verdict === 'delivered') since.count(OF_DESTINATION.delivered);
    else if (entry !== undefined && nextQueueKey(entry) !== undefined) since.count(OF_DESTINATION.retried);
    else since.count(OF_DESTINATION.dead);
    if (attempt.status !== undefined) since.took(attempt.durationMs);
  }

  addSource(source: string, counts: SourceCounts): void {
    const { since } = this.#of('source', source);
    for (const what of ['received', 'rejected', 'blocked', 'forwarded'] as const)
      since.count(OF_SOURCE[what], counts[what]);
  }

  /** Removes steps that are too old. */
  async sweep(): Promise<void> {
    const { keyValues, clock } = this.#options;
    for (const kind of KINDS) {
      for (const steps of ALL_STEPS) {
        const prefix = kindPrefix(kind, steps);
        const oldest = stepOf(steps, clock.now()) - steps.count;
        for (;;) {
          const [first] = await keyValues.list(prefix, undefined, 1);
          const step = first && stepIn(first.key, prefix);
          if (step === undefined || step > oldest) break;
          await keyValues.removeAll(stepPrefix(kind, steps, step));
        }
      }
    }
  }

  async close(): Promise<void> {
    this.#stop();
    await this.flush();
  }

  #of(kind: Kind, name: string): Counted {
    const key = keyOf(kind, name);
    const found = this.#counted.get(key);
    if (found !== undefined) return found;
    const counted = { kind, name, since: new Tally(), written: [] };
    this.#counted.set(key, counted);
    return counted;
  }

  async #write(): Promise<void> {
    const { keyValues, clock, waiting } = this.#options;
    for (const [name, count] of waiting())
      if (count > 0 || this.#counted.has(keyOf('destination', name)))
        this.#of('destination', name).since.waiting = count;
    const now = clock.now();
    for (const counted of this.#counted.values())
      for (const change of this.#changesOf(counted, now)) this.#unwritten.set(change.key, change);
    const changes = [...this.#unwritten.values()];
    for (let from = 0; from < changes.length; from += MOST_AT_ONCE) {
      const written = changes.slice(from, from + MOST_AT_ONCE);
      await keyValues.write(written);
      for (const { key } of written) this.#unwritten.delete(key);
    }
  }

  /** Returns no changes if nothing happened, which is the usual case for most destinations and sources. */
  #changesOf(counted: Counted, now: number): Change[] {
    const { kind, name, since, written } = counted;
    counted.since = new Tally();
    return ALL_STEPS.flatMap((steps, index) => {
      const last = written[index];
      const step = stepOf(steps, now);
      const tally = last?.step === step ? last.tally : new Tally();
      const isQuiet = since.isEmpty && (since.waiting ?? 0) === (tally.waiting ?? 0);
      if (isQuiet) return [];
      tally.waiting = undefined;
      tally.add(since);
      written[index] = { step, tally };
      return [{ key: namePrefix(kind, steps, step, name) + this.#process, value: tally.encode() }];
    });
  }
}
