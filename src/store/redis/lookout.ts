import type { Clock } from '../../base/time/clock.js';
import { NOW } from './lua.js';
import { type RedisClient, Script } from './redis-client.js';

/** A line of an endpoint that this process takes from. */
export interface WatchedLine {
  readonly name: string;
  readonly windowMs: number;
  /** Something has come up in the partition of that place. */
  onDue(place: number): void;
  /** How much waits may have changed: in those partitions something does. */
  recount(places: readonly number[]): void;
}

export interface LookoutOptions {
  readonly link: RedisClient;
  readonly clock: Clock;
  /** The key of each partition in which are the lines that have something, by when there is something to look at. */
  readonly due: readonly string[];
  readonly lookMs: number;
  readonly countMs: number;
}

/** How many lines one script gives. */
const PAGE = 500;

/**
 * KEYS: due. ARGV: the longest window in ms, how many are left out at the beginning, how many at most. Gives the time, lines in which something has come
 * up, and, where those are all, when the next does. What comes up later than any retry can is from before the clock was set back.
 */
const LOOK = new Script(`
${NOW}
local up = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', text(now), 'LIMIT', ARGV[2], ARGV[3])
if #up == tonumber(ARGV[3]) then return { text(now), up } end
for _, line in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. text(now + ARGV[1]), '+inf', 'LIMIT', 0, ARGV[3])) do
  up[#up + 1] = line
end
return { text(now), up, redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. text(now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2] or false }
`);

/**
 * Looks in which lines something has come up: in each partition at least once in `lookMs`, and when the next is due. No command waits for
 * anything, so that none can be silent for ever; a line without anything costs nothing but its place in a map.
 */
export class Lookout {
  readonly #options: LookoutOptions;
  readonly #lines = new Map<string, WatchedLine>();
  readonly #partitions: PartitionLookout[];
  #cancelCount: (() => void) | undefined;
  #isStopped = false;

  constructor(options: LookoutOptions) {
    this.#options = options;
    this.#partitions = options.due.map(
      (_, place) => new PartitionLookout(options, place, { lines: this.#lines, windowMs: () => this.#longestWindow() }),
    );
  }

  /** How long ago the partition that was not looked at for longest was, in ms; undefined as long as nothing is watched. */
  get silentMs(): number | undefined {
    return this.#lines.size === 0 ? undefined : Math.max(...this.#partitions.map((each) => each.silentMs));
  }

  /** Tells the line before long of what has come up, until the function it returns is called. */
  watch(line: WatchedLine): () => void {
    this.#lines.set(line.name, line);
    this.look();
    this.#cancelCount ??= this.#countLater();
    return () => {
      if (this.#lines.get(line.name) === line) this.#lines.delete(line.name);
    };
  }

  look(): void {
    for (const partition of this.#partitions) partition.lookSoon();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelCount?.();
    for (const partition of this.#partitions) partition.stop();
  }

  #longestWindow(): number {
    let longest = 0;
    for (const { windowMs } of this.#lines.values()) longest = Math.max(longest, windowMs);
    return longest;
  }

  #countLater(): () => void {
    const { clock, countMs } = this.#options;
    return clock.after(countMs, () => {
      void this.#countAll()
        // It is counted again before long.
        .catch(() => undefined)
        .then(() => {
          if (!this.#isStopped) this.#cancelCount = this.#countLater();
        });
    });
  }

  async #countAll(): Promise<void> {
    const placesOf = new Map<string, number[]>();
    await Promise.all(
      this.#options.due.map(async (key, place) => {
        for await (const name of this.#linesIn(key)) {
          if (!this.#lines.has(name)) continue;
          const places = placesOf.get(name);
          if (places === undefined) placesOf.set(name, [place]);
          else places.push(place);
        }
      }),
    );
    for (const line of this.#lines.values()) line.recount(placesOf.get(line.name) ?? []);
  }

  async *#linesIn(key: string): AsyncGenerator<string, void, undefined> {
    for (let from = 0, isMore = true; isMore; from += PAGE) {
      const page = await this.#options.link.ask((redis) => redis.zrange(key, from, from + PAGE - 1));
      yield* page;
      isMore = page.length === PAGE;
    }
  }
}

interface Watched {
  readonly lines: ReadonlyMap<string, WatchedLine>;
  windowMs(): number;
}

class PartitionLookout {
  readonly #options: LookoutOptions;
  readonly #place: number;
  readonly #watched: Watched;
  #answeredAt: number;
  #isLooking = false;
  #isWanted = false;
  #isStopped = false;
  #cancel: (() => void) | undefined;

  constructor(options: LookoutOptions, place: number, watched: Watched) {
    this.#options = options;
    this.#place = place;
    this.#watched = watched;
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
    // Whoever needs an answer sees the failure as well; here it is asked again.
    const nextMs = await this.#lookThrough().catch(() => lookMs);
    this.#isLooking = false;
    this.#lookIn(this.#isWanted ? 0 : Math.min(lookMs, Math.max(1, nextMs)));
  }

  /** Gives in how many ms the next comes up. */
  async #lookThrough(): Promise<number> {
    const { link, clock, due, lookMs } = this.#options;
    for (let from = 0; ; from += PAGE) {
      const keys = [due[this.#place] ?? ''];
      const answer = await link.run(LOOK, keys, [this.#watched.windowMs(), from, PAGE]);
      // As the script gives it.
      const [now, up, next] = answer as [string, string[], (string | null)?];
      this.#answeredAt = clock.now();
      for (const name of up) this.#watched.lines.get(name)?.onDue(this.#place);
      if (next !== undefined) return next === null ? lookMs : Number(next) - Number(now);
    }
  }
}
