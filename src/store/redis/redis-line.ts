import type { Backlog, EventKey, QueueKey } from '../event-store.js';
import type { DueItem, Line, LineOptions, Taken } from '../line.js';
import { textOfKey } from '../queue-key.js';
import { BacklogCount } from './backlog-count.js';
import { LinePart, type LineStore } from './line-part.js';
import { SweepTurn } from './sweep-turn.js';

/** How soon the store counts again after the last delivery seems to be gone, in ms. */
const COUNT_SOON_MS = 100;

const STAGES = ['first', 'retry'] as const;

/** The line of one URL in a storage that several processes share. It has a part in each partition; most storages have one partition. */
export class RedisLine implements Line {
  readonly expireEveryMs: number;
  readonly #options: LineOptions;
  readonly #store: LineStore;
  readonly #parts: readonly LinePart[];
  readonly #count: BacklogCount;
  readonly #turnToSweep: SweepTurn;
  /** Deliveries that this process has claimed. */
  readonly #taken = new Set<string>();
  readonly #work = new Set<Promise<unknown>>();
  #turn = 0;
  /** The name of the line, the same in every partition. */
  readonly #name: string;
  #isStopped = false;
  #isCounting = false;
  #cancelCount: (() => void) | undefined;
  #cancelWatch = (): void => undefined;

  constructor(options: LineOptions, store: LineStore) {
    const { intervals } = store.parts[0].connection;
    this.#options = options;
    this.#store = store;
    this.#name = nameOf(options.url, store);
    this.#count = new BacklogCount(options.backlog);
    this.#turnToSweep = new SweepTurn(options, store.parts[0]);
    this.expireEveryMs = intervals.overseeMs;
    this.#parts = store.parts.map((part, place): LinePart => {
      const partition = store.parts.length > 1 ? place : undefined;
      return new LinePart({
        ...options,
        store: part,
        partition,
        restMs: intervals.restMs,
        spare: (ahead) => this.#spare(ahead),
        putBack: (ids) => this.#begin(this.#giveBack(ids.map((id) => ({ id, partition })))),
        begin: (work) => this.#begin(work),
      });
    });
  }

  /** Includes claimed deliveries, because Redis may have recorded an attempt before this process knows. */
  get waiting(): number {
    return Math.max(this.#count.waiting, this.#taken.size);
  }

  /**
   * Includes the time since when claims have failed. Counts may fail at the same time, or miss a delivery that a claim has taken
   * although its response was lost.
   */
  get oldestDue(): number | undefined {
    const times = [this.#count.oldestDue, ...this.#parts.map((part) => part.failingSince)];
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  start(): void {
    const { windowMs, onNews } = this.#options;
    const { lookout } = this.#store.parts[0].connection;
    for (const part of this.#parts) part.start();
    const lookAt = (place: number): void => {
      this.#parts[place]?.look();
      onNews();
    };
    this.#cancelWatch = lookout.watch({
      name: this.#name,
      windowMs,
      onDue: lookAt,
      recount: (places) => {
        if (places.length > 0 || this.#count.waiting > 0) this.#begin(this.#recount());
      },
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelCount?.();
    this.#cancelWatch();
    for (const part of this.#parts) part.stop();
  }

  async quiet(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled([...this.#work]);
  }

  accept(item: DueItem): void {
    const { room } = this.#options;
    this.#count.accept(item.at);
    const part = this.#partWith(item);
    if (part.accept(item)) {
      this.#taken.add(textOfKey(item));
      return;
    }
    // If this process has no room, another process should claim the delivery.
    if (room() <= 0) this.#tell();
    part.look();
  }

  /** Treats the delivery like any other that waits and can be claimed. */
  ready(item: DueItem): void {
    if (this.#options.room() <= 0) this.#tell();
    this.#partWith(item).look();
  }

  withdraw(item: QueueKey): boolean {
    return this.#partWith(item).withdraw(item.id);
  }

  forget(item?: QueueKey): void {
    if (item !== undefined) this.withdraw(item);
    if (this.#count.forget()) this.#countSoon();
  }

  take(): Taken | undefined {
    for (const stage of STAGES) {
      for (const part of this.#byTurns()) {
        const item = part.take(stage);
        if (item === undefined) continue;
        this.#taken.add(textOfKey(item));
        return { item, stage };
      }
    }
    return undefined;
  }

  settle({ item }: Taken): void {
    this.#partWith(item).leases.end(item.id);
    this.#ended(item);
  }

  putBack({ item }: Taken): void {
    this.#begin(this.#giveBack([item]));
  }

  /** Gives up the claim, so that another process can take the delivery immediately when this process ends. */
  release(taken: Taken): void {
    const { clock } = this.#options;
    if (this.#isStopped) this.putBack(taken);
    else clock.after(this.#store.parts[0].connection.intervals.restMs, () => this.putBack(taken));
  }

  fill(): undefined {
    for (const part of this.#byTurns()) part.fill();
  }

  /** Always undefined, because the lookout reports due deliveries. */
  nextDue(): undefined {}

  count(): Promise<Pick<Backlog, 'first' | 'retry' | 'bytes'>> {
    return this.#store.counts.of(this.#options.url);
  }

  hasTurn(): Promise<boolean> {
    return this.#turnToSweep.isMine();
  }

  #partWith({ partition = 0 }: EventKey): LinePart {
    // A store reports only partitions that exist.
    return this.#parts[partition] as LinePart;
  }

  /** Rotates the parts, because otherwise the first one might always claim all the room. */
  #byTurns(): readonly LinePart[] {
    if (this.#parts.length === 1) return this.#parts;
    const first = this.#turn++ % this.#parts.length;
    return [...this.#parts.slice(first), ...this.#parts.slice(0, first)];
  }

  #spare(ahead: number): number {
    return this.#parts.reduce((spare, { held }) => spare - held, this.#options.room() + ahead);
  }

  #tell(): void {
    this.#store.parts[0].connection.lookout.tell();
  }

  /** Puts back deliveries of one partition. If that fails, their leases run out. */
  async #giveBack(keys: readonly EventKey[]): Promise<void> {
    for (const key of keys) this.#ended(key);
    const [first] = keys;
    if (first === undefined) return;
    await this.#partWith(first).leases.putBack(keys.map(({ id }) => id));
    this.#tell();
  }

  #ended(key: EventKey): void {
    this.#taken.delete(textOfKey(key));
    this.#partWith(key).store.lookAway(key.id);
    // A count of zero may have been made before this delivery was put back.
    if (this.#count.waiting === 0) this.#countSoon();
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
    const { url, onCounted, onError } = this.#options;
    this.#isCounting = true;
    this.#count.begin();
    try {
      const { first, retry, behind, oldestDue } = await this.#store.counts.of(url);
      this.#count.end(first + retry, oldestDue);
      if (behind > 0) await Promise.all(this.#parts.map((part) => part.repairLanes()));
      onCounted();
    } catch (error) {
      onError(error);
    }
    this.#isCounting = false;
  }

  /** Runs work in the background. A failure needs no action: leases expire, and the next check finds the deliveries. */
  #begin(work: Promise<unknown>): void {
    const done: Promise<unknown> = work.catch(() => undefined).then(() => this.#work.delete(done));
    this.#work.add(done);
  }
}

const nameOf = (url: string, store: LineStore): string => store.parts[0].keys.line(url).name;

/** Watches the line of a URL that has no deliveries now. It costs one entry in a map. */
export function watchLine(
  store: LineStore,
  { url, windowMs, onWork }: { url: string; windowMs: number; onWork(): void },
): () => void {
  const { lookout } = store.parts[0].connection;
  const name = nameOf(url, store);
  const recount = (places: readonly number[]): void => {
    if (places.length > 0) onWork();
  };
  return lookout.watch({ name, windowMs, onDue: onWork, recount });
}
