import type { Clock } from '../../base/time/clock.js';
import { startInterval } from '../../base/time/interval.js';
import { CALL, NOW } from './lua.js';
import { type Driver, type RedisClient, Script } from './redis-client.js';
import { ScriptCall } from './script-call.js';

/** The line of one endpoint, from which this process takes deliveries. */
export interface WatchedLine {
  readonly name: string;
  readonly windowMs: number;
  /** Called when the partition with that number has a due delivery. */
  onDue(place: number): void;
  /** Called at each count, with the partitions in which the line has deliveries, due or not. */
  recount(places: readonly number[]): void;
}

export interface LookoutOptions {
  readonly link: RedisClient;
  readonly clock: Clock;
  /** For each partition, the key of the sorted set of lines with deliveries, scored by their next due time. */
  readonly due: readonly string[];
  readonly lookMs: number;
  readonly countMs: number;
  /** A connection used only for notices, and their channel. */
  readonly listening: Driver;
  readonly channel: string;
  /** Called once when a key in `due` is of another type, so that no deliveries can be found through it. */
  onDamaged(key: string): void;
}

/** The shortest time between two notices of a process, in ms. */
const TELL_MS = 100;

/** The most lines that one script returns. */
const PAGE = 500;

/**
 * Lists the lines that have due deliveries. A time further ahead than any retry can be was written before the clock was set back,
 * and counts as due.
 *
 * Arguments: `windowMs`, the longest retry window; `skipped`, how many lines to skip; `most`, how many to return.
 *
 * Returns the time, the lines, and, if these are all, the next due time or false.
 */
const LOOK = new Script(`
${CALL}
${NOW}
local due = KEYS[1]
local up = redis.call('ZRANGEBYSCORE', due, '-inf', text(now), 'LIMIT', call.skipped, call.most)
if #up == call.most then return { text(now), up } end
for _, line in ipairs(redis.call('ZRANGEBYSCORE', due, '(' .. text(now + call.windowMs), '+inf', 'LIMIT', 0, call.most)) do
  up[#up + 1] = line
end
return { text(now), up, redis.call('ZRANGEBYSCORE', due, '(' .. text(now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2] or false }
`);

/**
 * Finds the lines that have due deliveries. It checks each partition when the next delivery is due, at least every `lookMs`, and
 * immediately when a process announces new work. No command blocks, so none can stay silent forever. A watched line without
 * deliveries costs one entry in a map.
 */
export class Lookout {
  readonly #options: LookoutOptions;
  readonly #lines = new Map<string, WatchedLine>();
  readonly #partitions: PartitionLookout[];
  #stopCounting: (() => void) | undefined;
  /** True for a short time after a notice was published; `#isToTell` is true if another notice is to follow. */
  #hasTold = false;
  #isToTell = false;

  constructor(options: LookoutOptions) {
    this.#options = options;
    this.#partitions = options.due.map((_, place) => new PartitionLookout(options, place, this.#lines));
  }

  /** How long the slowest partition has not answered, in ms; undefined while no line is watched. */
  get silentMs(): number | undefined {
    return this.#lines.size === 0 ? undefined : Math.max(...this.#partitions.map((each) => each.silentMs));
  }

  /** Calls the line when it has due deliveries, until the returned function is called. */
  watch(line: WatchedLine): () => void {
    if (this.#lines.size === 0) this.#listen();
    this.#lines.set(line.name, line);
    this.look();
    const { clock, countMs } = this.#options;
    const act = (): Promise<void> => this.#countAll();
    // The next count follows soon.
    this.#stopCounting ??= startInterval({ clock, everyMs: countMs, act, onError: () => undefined });
    return () => {
      if (this.#lines.get(line.name) === line) this.#lines.delete(line.name);
    };
  }

  look(): void {
    for (const partition of this.#partitions) partition.lookSoon();
  }

  /** Makes all processes check immediately, or a little later after another notice. A lost notice only costs time. */
  tell(): void {
    const { link, clock, channel } = this.#options;
    this.#isToTell = this.#hasTold;
    if (this.#hasTold) return;
    this.#hasTold = true;
    clock.after(TELL_MS, () => {
      this.#hasTold = false;
      if (this.#isToTell) this.tell();
    });
    link.ask((redis) => redis.publish(channel, '')).catch(() => undefined);
  }

  stop(): void {
    this.#stopCounting?.();
    for (const partition of this.#partitions) partition.stop();
  }

  /** The driver subscribes again by itself after its connection was lost. */
  #listen(): void {
    const { listening, channel } = this.#options;
    if (listening.listenerCount('message') > 0) return;
    listening.on('message', () => this.look());
    listening.subscribe(channel).catch(() => undefined);
  }

  async #countAll(): Promise<void> {
    const found = await Promise.all(this.#options.due.map((key) => this.#linesIn(key)));
    for (const line of this.#lines.values()) {
      line.recount(found.flatMap((names, place) => (names.has(line.name) ? place : [])));
    }
  }

  async #linesIn(key: string): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    for (let from = 0, isMore = true; isMore; from += PAGE) {
      const page = await this.#options.link.ask((redis) => redis.zrange(key, from, from + PAGE - 1));
      for (const name of page) names.add(name);
      isMore = page.length === PAGE;
    }
    return names;
  }
}

class PartitionLookout {
  readonly #options: LookoutOptions;
  readonly #place: number;
  readonly #lines: ReadonlyMap<string, WatchedLine>;
  #answeredAt: number;
  #isLooking = false;
  #isWanted = false;
  #isStopped = false;
  #isDamaged = false;
  #cancel: (() => void) | undefined;

  constructor(options: LookoutOptions, place: number, lines: ReadonlyMap<string, WatchedLine>) {
    this.#options = options;
    this.#place = place;
    this.#lines = lines;
    this.#answeredAt = options.clock.now();
  }

  get silentMs(): number {
    return this.#options.clock.now() - this.#answeredAt;
  }

  lookSoon(): void {
    if (this.#isLooking) this.#isWanted = true;
    else this.#lookIn(0);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #lookIn(ms: number): void {
    this.#cancel?.();
    if (!this.#isStopped) this.#cancel = this.#options.clock.after(ms, () => void this.#look());
  }

  async #look(): Promise<void> {
    const { lookMs } = this.#options;
    this.#isLooking = true;
    this.#isWanted = false;
    const nextMs = await this.#lookThrough().catch((error: unknown) => {
      this.#failed(error);
      return lookMs;
    });
    this.#isLooking = false;
    this.#lookIn(this.#isWanted ? 0 : Math.min(lookMs, Math.max(1, nextMs)));
  }

  /** Checks again after a failure. Calls that need an answer report the failure themselves. */
  #failed(error: unknown): void {
    if (this.#isDamaged || !String(error).includes('WRONGTYPE')) return;
    this.#isDamaged = true;
    this.#options.onDamaged(this.#options.due[this.#place] ?? '');
  }

  /** Returns in how many ms the next delivery is due. */
  async #lookThrough(): Promise<number> {
    const { link, clock, due, lookMs } = this.#options;
    let windowMs = 0;
    for (const line of this.#lines.values()) windowMs = Math.max(windowMs, line.windowMs);
    for (let skipped = 0; ; skipped += PAGE) {
      const args = { windowMs, skipped, most: PAGE };
      const answer = await new ScriptCall([due[this.#place] ?? '']).run(link, LOOK, args);
      // The script returns this shape.
      const [now, up, next] = answer as [string, string[], (string | null)?];
      this.#answeredAt = clock.now();
      this.#isDamaged = false;
      for (const name of up) this.#lines.get(name)?.onDue(this.#place);
      if (next !== undefined) return next === null ? lookMs : Number(next) - Number(now);
    }
  }
}
