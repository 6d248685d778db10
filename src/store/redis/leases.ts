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
  /** How long a claim lasts, in ms, unless it is renewed. */
  readonly leaseMs: number;
}

/** Where something that is claimed goes back to, and by when the claim is over. */
interface Claim {
  readonly stage: Stage;
  /** Its score there, in text. */
  readonly place: string;
  /** The score of the claim: when it ends, by the clock of Redis, below 0. */
  readonly until: string;
}

interface Lease extends Claim {
  /** When that was so, by the clock of this process. */
  readonly since: number;
  /** The end that was asked for last: where the answer was lost, it may be the one that holds. */
  readonly asked?: string | undefined;
}

/**
 * Makes leases longer that still are as their holder knows them.
 *
 * KEYS: timed. ARGV: ids, the scores of their claims, those that they may have instead, and those that they are to have. Gives 1 for each that has.
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
 * Puts back what still is claimed as it was. Where it was tried already, it is due at once.
 *
 * KEYS: first, timed, due, behind, lanes, heads. ARGV: the name of the line; ids, the scores of their claims, where they go, and their scores there; with nothing for
 * where, it no longer waits, and what is behind it of its user, who stands for the score, comes in line.
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
 * What a process has claimed of one line: its alone until it is written down what became of it, or the lease is over. A process renews
 * the leases of what it has at hand; what a dead one had comes up by itself.
 */
export class Leases {
  readonly #options: LeasesOptions;
  readonly #held = new Map<string, Lease>();
  /** Claimed as their events were taken in, and not taken over yet. */
  readonly #fresh = new Set<string>();
  #reserved = 0;
  /** How many may be claimed as they are taken in. The endpoint sets it while it is open. */
  room: () => number = () => 0;
  #isRenewing = false;

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  hold(id: string, claim: Claim): void {
    this.#held.set(id, { ...claim, since: this.#options.clock.now() });
    this.#renewLater();
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

  /**
   * @param ids what was claimed of that for which room was kept: the others wait, or were not taken in
   * @param place in line, of the first of them
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
    const claims = ids.flatMap((id) => {
      const lease = this.#held.get(id);
      this.#held.delete(id);
      return lease === undefined ? [] : [[id, lease.until, lease.stage, lease.place]];
    });
    for (const some of partsOf(claims)) await this.#putBack(some.flat());
  }

  /** Nothing waits under this id, which was claimed with that score. */
  async drop(id: string, until: string): Promise<void> {
    this.#held.delete(id);
    await this.#putBack([id, until, '', await this.#userOf(id)]);
  }

  /** Whose lane it is the head of, which stays so as long as it is claimed; nothing where there is none. */
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
    for (const some of partsOf(held)) await this.#renewSome(some);
  }

  /** Where Redis fails, there are more tries before the leases are over. */
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
