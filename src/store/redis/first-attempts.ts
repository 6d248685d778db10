import type { Clock } from '../../clock.js';
import type { Claimed, Claims } from './claims.js';
import { BYTES, NOW } from './lua.js';
import type { Messages } from './messages.js';
import { type RedisClient, Script } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';
import { queueKeysIn } from './redis-store-scripts.js';

export interface FirstAttemptsOptions {
  readonly url: string;
  readonly keys: RedisKeys;
  readonly link: RedisClient;
  readonly claims: Claims;
  readonly messages: Messages;
  readonly clock: Clock;
  /** How long a claim lasts, in ms, unless it is renewed. */
  readonly leaseMs: number;
}

interface Lease {
  readonly at: number;
  /** When it ends, by the clock of Redis. */
  readonly until: string;
  /** When that was so, by the clock of this process. */
  readonly since: number;
  /** The end that was asked for last: where the answer was lost, it may be the one that holds. */
  readonly asked?: string | undefined;
}

/** The most that one script looks after: Redis does nothing else meanwhile. */
const MOST = 500;

/**
 * Makes leases longer that still are as their holder knows them.
 *
 * KEYS: claimed. ARGV: ids, when their leases end, when they may end instead, and when they are to end. Gives 1 for each that does.
 */
const RENEW = new Script(`
local renewed = {}
for i = 1, #ARGV, 4 do
  local score = redis.call('ZSCORE', KEYS[1], ARGV[i])
  local isHeld = score and (score == ARGV[i + 1] or score == ARGV[i + 2])
  if isHeld then redis.call('ZADD', KEYS[1], ARGV[i + 3], ARGV[i]) end
  renewed[#renewed + 1] = isHeld and 1 or 0
end
return renewed
`);

/** KEYS: claimed. ARGV: how many at most. Gives ids and ends of leases that are over. */
const OVERDUE = new Script(`
${NOW}
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', text(now), 'WITHSCORES', 'LIMIT', 0, ARGV[1])
`);

/**
 * Puts back what still is claimed as it was, where it is counted again; with nothing as a score, it no longer waits.
 *
 * KEYS: first, claimed, events, counts, messages. ARGV: the field of the bytes; ids, when their leases end, and their scores.
 */
const PUT_BACK = new Script(`
${BYTES}
local bytes = 0
for i = 2, #ARGV, 3 do
  if redis.call('ZSCORE', KEYS[2], ARGV[i]) == ARGV[i + 1] then
    redis.call('ZREM', KEYS[2], ARGV[i])
    if ARGV[i + 2] ~= '' then
      redis.call('ZADD', KEYS[1], ARGV[i + 2], ARGV[i])
      bytes = bytes + bytesWaiting(KEYS[3], KEYS[5], ARGV[i])
    end
  end
end
if bytes > 0 then redis.call('HINCRBY', KEYS[4], ARGV[1], bytes) end
`);

/**
 * The first attempts at one URL. What a process claims is its alone until it is written down what became of it, or the lease
 * is over: a process renews those of what it still has at hand, and what a dead one had goes back.
 */
export class FirstAttempts {
  readonly #options: FirstAttemptsOptions;
  readonly #held = new Map<string, Lease>();
  /** Claimed as their events were taken in, and not taken over yet. */
  readonly #fresh = new Set<string>();
  #reserved = 0;
  /** How many may be claimed as they are taken in. The endpoint sets it while it is open. */
  room: () => number = () => 0;
  #isRenewing = false;

  constructor(options: FirstAttemptsOptions) {
    this.#options = options;
  }

  /**
   * Up to so many of those that have waited longest.
   *
   * @param count asked as the request goes out
   */
  async claim(count: () => number): Promise<readonly Claimed[]> {
    const { claims, keys, url, clock } = this.#options;
    const claimed = await claims.ask({ keys, url, count });
    const since = clock.now();
    for (const { id, at, until } of claimed) this.#held.set(id, { at, until, since });
    if (claimed.length > 0) this.#renewLater();
    return claimed;
  }

  /** How many are claimed or may be just now, as they are taken in. They take up room. */
  get reserved(): number {
    return this.#reserved;
  }

  /** Keeps room for up to so many that are being taken in, and says for how many there was; then `settle` follows. */
  reserve(count: number): number {
    const reserved = Math.max(0, Math.min(count, this.room()));
    this.#reserved += reserved;
    return reserved;
  }

  /** @param ids what was claimed of that for which room was kept: the others wait, or were not taken in */
  settle(reserved: number, ids: readonly string[], { at, until }: Pick<Lease, 'at' | 'until'>): void {
    this.#reserved -= reserved - ids.length;
    if (ids.length === 0) return;
    const lease = { at, until, since: this.#options.clock.now() };
    for (const id of ids) {
      this.#held.set(id, lease);
      this.#fresh.add(id);
    }
    this.#renewLater();
  }

  /** Whether it was claimed as it was taken in. Then it is the caller's to begin, and takes up no room any more. */
  takeOver(id: string): boolean {
    if (!this.#fresh.delete(id)) return false;
    this.#reserved--;
    return true;
  }

  /** It is written down what became of it, or it is not known whether it is: then its lease runs out. */
  end(id: string): void {
    this.#held.delete(id);
  }

  /** Whether it is claimed, as far as this process can tell. */
  holds(id: string): boolean {
    const lease = this.#held.get(id);
    const { clock, leaseMs } = this.#options;
    return lease !== undefined && clock.now() < lease.since + leaseMs;
  }

  /** Lets another process have them at once. */
  async putBack(ids: readonly string[]): Promise<void> {
    const lines = ids.flatMap((id) => {
      const lease = this.#held.get(id);
      this.#held.delete(id);
      return lease === undefined ? [] : [id, lease.until, lease.at];
    });
    if (lines.length > 0) await this.#putBack(lines);
  }

  /** Nothing waits under this id. */
  async drop(id: string): Promise<void> {
    const lease = this.#held.get(id);
    this.#held.delete(id);
    if (lease !== undefined) await this.#putBack([id, lease.until, '']);
  }

  /** Puts back what dead processes had claimed. Gives how many there were. */
  async takeBack(dueOf: (id: string) => Promise<number | undefined>): Promise<number> {
    const overdue = queueKeysIn(await this.#run(OVERDUE, [this.#keys[1]], [MOST]));
    const lines = await Promise.all(overdue.map(async ({ at, id }) => [id, at, (await dueOf(id)) ?? '']));
    if (lines.length > 0) await this.#putBack(lines.flat());
    return overdue.length;
  }

  get #keys(): readonly [first: string, claimed: string] {
    const { keys, url } = this.#options;
    return [keys.waiting(url, 'first'), keys.claimed(url)];
  }

  async #putBack(args: readonly (string | number)[]): Promise<void> {
    const { keys, url, messages } = this.#options;
    const all = [...this.#keys, keys.events, keys.counts, messages.records];
    await this.#run(PUT_BACK, all, [keys.bytes(url), ...args]);
  }

  #run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    return this.#options.link.run(script, keys, args);
  }

  /** Most attempts are over long before: only what takes its time is renewed. */
  #renewLater(): void {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    const slow = [...this.#held.keys()];
    const { clock, leaseMs } = this.#options;
    clock.after(leaseMs / 4, () => {
      void this.#renew(slow).finally(() => {
        this.#isRenewing = false;
        if (this.#held.size > 0) this.#renewLater();
      });
    });
  }

  async #renew(ids: readonly string[]): Promise<void> {
    // Their endpoint was never told of them.
    for (const id of ids) if (this.takeOver(id)) this.#held.delete(id);
    const held = ids.filter((id) => this.#held.has(id));
    for (let from = 0; from < held.length; from += MOST) await this.#renewSome(held.slice(from, from + MOST));
  }

  /** Where Redis fails, there are more tries before the leases are over. */
  async #renewSome(ids: readonly string[]): Promise<void> {
    const now = this.#options.clock.now();
    const args = ids.flatMap((id) => {
      const lease = this.#held.get(id);
      if (lease === undefined) return [];
      const until = String(Number(lease.until) + now - lease.since);
      this.#held.set(id, { ...lease, asked: until });
      return [id, lease.until, lease.asked ?? '', until];
    });
    const renewed = await this.#run(RENEW, [this.#keys[1]], args).catch(() => []);
    for (const [index, isRenewed] of (renewed as readonly number[]).entries()) {
      const [id, until] = [args[4 * index] ?? '', args[4 * index + 3] ?? ''];
      const lease = this.#held.get(id);
      if (lease !== undefined && isRenewed === 1) this.#held.set(id, { at: lease.at, until, since: now });
    }
  }
}
