import type { Clock } from '../../base/time/clock.js';
import type { Stage } from '../event-store.js';
import { COMES_UP, LANES, NOW, PLACE_STEP } from './lua.js';
import type { Messages } from './messages.js';
import { type RedisClient, Script } from './redis-client.js';
import type { LineKeys } from './redis-keys.js';
import { MOST_DELIVERIES, partsOf } from './script-bounds.js';

export interface LeasesOptions {
  readonly line: LineKeys;
  readonly link: RedisClient;
  readonly messages: Messages;
  readonly clock: Clock;
  /** How long a claim lasts unless it is renewed, in ms. */
  readonly leaseMs: number;
}

/** The place to which a claimed delivery is put back, and the end of its claim. */
interface Claim {
  readonly stage: Stage;
  /** Its score there, as text. */
  readonly place: string;
  /** The score of the claim: its end by the clock of Redis, in ms, negated. */
  readonly until: string;
}

interface Lease extends Claim {
  /** When this process claimed or renewed it, by its own clock. */
  readonly since: number;
  /** The score of the last renewal. If its answer was lost, this may be the score in Redis. */
  readonly asked?: string | undefined;
}

/**
 * Renews leases that this process still holds.
 *
 * KEYS: timed.
 *
 * ARGV, for each delivery: its id, the score of its claim, the score that a renewal without an answer may have set, the
 * new score.
 *
 * Returns 1 for each renewed lease, otherwise 0.
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

/**
 * Puts back deliveries that this process still holds. A retry becomes due at once.
 *
 * KEYS: first, timed, due, behind, lanes, heads.
 *
 * ARGV:
 * - the name of the line
 * - for each delivery: its id, the score of its claim, its stage, its score in that stage
 *
 * An empty stage removes the delivery. The user then stands in place of the score, and the next delivery in the user's
 * lane becomes ready.
 */
const PUT_BACK = new Script(`
${NOW}
${COMES_UP}
${LANES}
local line = { first = KEYS[1], behind = KEYS[4], lanes = KEYS[5], heads = KEYS[6] }
local isNew = false
for i = 2, #ARGV, 4 do
  local id, stage = ARGV[i], ARGV[i + 2]
  if redis.call('ZSCORE', KEYS[2], id) == ARGV[i + 1] then
    if stage == 'retry' then
      redis.call('ZADD', KEYS[2], text(math.min(now, ARGV[i + 3])), id)
    else
      redis.call('ZREM', KEYS[2], id)
      if stage == 'first' then
        redis.call('ZADD', KEYS[1], ARGV[i + 3], id)
      elseif redis.call('HGET', line.heads, ARGV[i + 3]) == id then
        nextInLane(line, ARGV[i + 3])
      end
    end
    isNew = true
  end
end
if isNew then comesUp(KEYS[3], ARGV[1], 0) end
`);

/**
 * This process's claims in one line. Only this process may attempt a claimed delivery, until it has written the outcome
 * or the lease ends. It renews the leases of attempts that still run; a dead process renews none, so its deliveries
 * become due.
 */
export class Leases {
  readonly #options: LeasesOptions;
  readonly #held = new Map<string, Lease>();
  /** Ids that were claimed while their messages were stored, and that the line has not taken over yet. */
  readonly #fresh = new Set<string>();
  #reserved = 0;
  /** Returns how many deliveries may be claimed while messages are stored. The endpoint sets it while it is open. */
  room: () => number = () => 0;
  #isRenewing = false;

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  hold(id: string, claim: Claim): void {
    this.#held.set(id, { ...claim, since: this.#options.clock.now() });
    this.#renewLater();
  }

  /** Deliveries that are being stored and may be claimed, or are claimed but not yet taken over. They take up room. */
  get reserved(): number {
    return this.#reserved;
  }

  /** Reserves room for up to `count` deliveries that are about to be stored. Returns how many places it reserved; `settle` must follow. */
  reserve(count: number): number {
    const reserved = Math.max(0, Math.min(count, this.room()));
    this.#reserved += reserved;
    return reserved;
  }

  /**
   * @param ids the deliveries that were claimed; the rest of the reserved room becomes free
   * @param place the score of the first of them in the line
   */
  settle(
    reserved: number,
    ids: readonly string[],
    { place, until }: { readonly place: number; readonly until: string },
  ): void {
    this.#reserved -= reserved - ids.length;
    for (const [index, id] of ids.entries()) {
      this.hold(id, { stage: 'first', place: String(place + index * PLACE_STEP), until });
      this.#fresh.add(id);
    }
  }

  /**
   * Takes over a delivery that was claimed while its message was stored: the caller begins it, and it frees the
   * reserved room. Returns false if it was not claimed.
   */
  takeOver(id: string): boolean {
    if (!this.#fresh.delete(id)) return false;
    this.#reserved--;
    return true;
  }

  /** Ends a claim whose outcome was written. If the write may have failed, the lease in Redis runs out. */
  end(id: string): void {
    this.#held.delete(id);
  }

  /** Whether the lease still runs, by this process's clock. */
  holds(id: string): boolean {
    const lease = this.#held.get(id);
    const { clock, leaseMs } = this.#options;
    return lease !== undefined && clock.now() < lease.since + leaseMs;
  }

  /** Puts the deliveries back, so that another process can claim them at once. */
  async putBack(ids: readonly string[]): Promise<void> {
    const claims = ids.flatMap((id) => {
      const lease = this.#held.get(id);
      this.#held.delete(id);
      return lease === undefined ? [] : [[id, lease.until, lease.stage, lease.place]];
    });
    for (const some of partsOf(claims)) await this.#putBack(some.flat());
  }

  /** Removes a claimed id whose event is gone. `until` is the score of the claim. */
  async drop(id: string, until: string): Promise<void> {
    this.#held.delete(id);
    await this.#putBack([id, until, '', await this.#userOf(id)]);
  }

  /** The user whose lane this id heads, or an empty string. A claimed delivery stays the head of its lane. */
  async #userOf(id: string): Promise<string> {
    const { link, line } = this.#options;
    let cursor = '0';
    do {
      const [next, heads] = await link.ask((redis) => redis.hscan(line.heads, cursor, 'COUNT', MOST_DELIVERIES));
      for (let index = 0; index + 1 < heads.length; index += 2) if (heads[index + 1] === id) return heads[index] ?? '';
      cursor = next;
    } while (cursor !== '0');
    return '';
  }

  async #putBack(args: readonly string[]): Promise<void> {
    const { line, messages, link } = this.#options;
    const { first, timed, behind, lanes, heads } = line;
    await link.run(PUT_BACK, [first, timed, messages.due, behind, lanes, heads], [line.name, ...args]);
  }

  /** Renews only the leases that are still held after a quarter of their length: most attempts are over long before. */
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
    // If no line took them over until now, none will. We let these leases end.
    for (const id of ids) if (this.takeOver(id)) this.#held.delete(id);
    const held = ids.filter((id) => this.#held.has(id));
    for (const some of partsOf(held)) await this.#renewSome(some);
  }

  /** A failure is ignored: there are more renewals before the lease ends. */
  async #renewSome(ids: readonly string[]): Promise<void> {
    const now = this.#options.clock.now();
    const args = ids.flatMap((id) => {
      const lease = this.#held.get(id);
      if (lease === undefined) return [];
      const until = String(Number(lease.until) - (now - lease.since));
      this.#held.set(id, { ...lease, asked: until });
      return [id, lease.until, lease.asked ?? '', until];
    });
    const { link, line } = this.#options;
    const renewed = await link.run(RENEW, [line.timed], args).catch(() => []);
    for (const [index, isRenewed] of (renewed as readonly number[]).entries()) {
      const [id, until] = [args[4 * index] ?? '', args[4 * index + 3] ?? ''];
      const lease = this.#held.get(id);
      if (lease !== undefined && isRenewed === 1)
        this.#held.set(id, { stage: lease.stage, place: lease.place, until, since: now });
    }
  }
}
