import type { EventKey, QueueKey } from '../store/event-store.js';
import type { DueItem, LineCount, StoreWithLines, TakenDelivery } from '../store/line.js';
import { ClaimedLine } from './claimed-line.js';
import type { Queue, QueueOptions } from './queue.js';

/** How soon the store counts again after the last delivery seems to be gone, in ms. */
const COUNT_SOON_MS = 100;

const STAGES = ['first', 'retry'] as const;

/** The queue of one URL in a store that several processes share. It takes from one line in each partition. */
export class SharedQueue implements Queue {
  readonly #options: QueueOptions;
  readonly #lines: readonly ClaimedLine[];
  readonly #work = new Set<Promise<unknown>>();
  /** The store's last count, plus and minus what this process has done since. */
  #waiting: number;
  #oldestDue: number | undefined;
  /** Deliveries accepted while the store is counting. */
  #acceptedMeanwhile = 0;
  #turn = 0;
  #isStopped = false;
  #isCounting = false;
  #cancelCount: (() => void) | undefined;

  constructor(options: QueueOptions & { readonly store: StoreWithLines }) {
    const { store, url, windowMs, backlog, onNews, onError } = options;
    this.#options = options;
    this.#waiting = backlog;
    const lines = store.lines({
      url,
      windowMs,
      reserve: (partition, most) => this.#lines[partition]?.reserve(most) ?? 0,
      free: (partition, count) => this.#lines[partition]?.free(count),
      onDue: (partition) => {
        this.#lines[partition]?.look();
        onNews();
      },
      onCount: (isWaiting) => {
        if (isWaiting || this.#waiting > 0) this.#begin(this.#recount());
      },
      onError,
    });
    this.#lines = lines.map(
      (line): ClaimedLine =>
        new ClaimedLine({
          ...options,
          line,
          spare: (ahead) => this.#spare(ahead),
          begin: (work) => this.#begin(work),
        }),
    );
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Includes the time since when a line has failed. Counts may fail at the same time, or miss a delivery that was taken although the
   * answer was lost.
   */
  get oldestDue(): number | undefined {
    return earliest([this.#oldestDue, ...this.#lines.map((line) => line.failingSince)]);
  }

  accept(item: DueItem, isOrdered: boolean): void {
    this.#waiting++;
    this.#acceptedMeanwhile++;
    this.#oldestDue = earliest([item.at, this.#oldestDue]);
    if (!isOrdered) this.ready(item);
  }

  ready(item: DueItem): void {
    this.#lineOf(item).accept(item, this.#options.room() > 0);
  }

  withdraw(item: QueueKey): boolean {
    return this.#lineOf(item).withdraw(item);
  }

  forget(item?: QueueKey): void {
    if (item !== undefined) this.withdraw(item);
    // Other processes also take deliveries, so only the store can say that the last one is gone.
    if (this.#waiting > 1) this.#waiting--;
    else this.#countSoon();
  }

  take(): TakenDelivery | undefined {
    for (const stage of STAGES) {
      for (const line of this.#byTurns()) {
        const taken = line.take(stage);
        if (taken !== undefined) return taken;
      }
    }
    return undefined;
  }

  settle({ item }: TakenDelivery): void {
    this.#lineOf(item).line.settle(item);
  }

  putBack({ item }: TakenDelivery): void {
    this.#begin(this.#lineOf(item).line.putBack([item]));
  }

  fill(): undefined {
    for (const line of this.#byTurns()) line.fill();
  }

  /** Always undefined, because the store reports due deliveries. */
  nextDue(): undefined {}

  async count(): Promise<LineCount> {
    const counts = await Promise.all(this.#lines.map(({ line }) => line.count()));
    const sum = (of: (count: LineCount) => number): number => counts.reduce((total, count) => total + of(count), 0);
    return {
      first: sum(({ first }) => first),
      retry: sum(({ retry }) => retry),
      bytes: sum(({ bytes }) => bytes),
      oldestDue: earliest(counts.map(({ oldestDue }) => oldestDue)),
    };
  }

  async hasTurn(): Promise<boolean> {
    return (await this.#lines[0]?.line.hasTurn()) ?? false;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelCount?.();
    for (const line of this.#lines) line.stop();
  }

  async quiet(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled([...this.#work]);
  }

  #lineOf({ partition = 0 }: EventKey): ClaimedLine {
    // A store reports only partitions that exist.
    return this.#lines[partition] as ClaimedLine;
  }

  /** Rotates the lines, because otherwise the first one might always take all the room. */
  #byTurns(): readonly ClaimedLine[] {
    if (this.#lines.length === 1) return this.#lines;
    const first = this.#turn++ % this.#lines.length;
    return [...this.#lines.slice(first), ...this.#lines.slice(0, first)];
  }

  #spare(ahead: number): number {
    return this.#lines.reduce((spare, { held }) => spare - held, this.#options.room() + ahead);
  }

  #countSoon(): void {
    if (this.#isStopped) return;
    this.#cancelCount ??= this.#options.clock.after(COUNT_SOON_MS, () => {
      this.#cancelCount = undefined;
      this.#begin(this.#recount());
    });
  }

  async #recount(): Promise<void> {
    if (this.#isCounting) return this.#countSoon();
    const { onCounted, onError } = this.#options;
    this.#isCounting = true;
    this.#acceptedMeanwhile = 0;
    try {
      const { first, retry, oldestDue } = await this.count();
      // The count may already contain what was accepted meanwhile. One that is too high does less harm than one that is too low.
      this.#waiting = first + retry + this.#acceptedMeanwhile;
      this.#oldestDue = oldestDue;
      onCounted();
    } catch (error) {
      onError(error);
    }
    this.#isCounting = false;
  }

  /** Runs work in the background. A failure needs no action: leases run out, and the store reports what is due. */
  #begin(work: Promise<unknown>): void {
    const done: Promise<unknown> = work.catch(() => undefined).then(() => this.#work.delete(done));
    this.#work.add(done);
  }
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
