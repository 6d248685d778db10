import type { Clock } from '../../base/time/clock.js';
import type { Stage } from '../event-store.js';
import { CALL, COMES_UP, NOW, PLACE_STEP, SHARED } from './lua.js';
import type { Partition } from './partition.js';
import { Script } from './redis-client.js';
import type { LineKeys } from './redis-keys.js';
import { partsOf } from './script-bounds.js';
import { ScriptCall, setsOf } from './script-call.js';

export interface LeasesOptions {
  readonly line: LineKeys;
  readonly partition: Partition;
  readonly clock: Clock;
  /** How long a claim lasts unless it is renewed, in ms. */
  readonly leaseMs: number;
}

/** Grants room for deliveries that are claimed while their messages are being stored. */
interface ClaimRoom {
  reserve(most: number): number;
  free(count: number): void;
}

/** A claim, with the place to which its delivery would be put back. */
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
 * Renews leases that this process still holds: `was` is the score of the claim, `asked` the one that a renewal without an answer
 * may have set.
 *
 * Returns 1 for each renewed lease, otherwise 0.
 */
const RENEW = new Script(`
${CALL}
local timed, renewed = KEYS[1], {}
for i, lease in ipairs(call.leases) do
  local score = redis.call('ZSCORE', timed, lease.id)
  local isHeld = score and (score == lease.was or score == lease.asked)
  if isHeld then redis.call('ZADD', timed, lease.is, lease.id) end
  renewed[i] = isHeld and 1 or 0
end
return renewed
`);

/** A claim to give up, identified by its score, and where the delivery waits again; nowhere if its event is gone. */
interface PutBack extends Partial<Pick<Claim, 'stage' | 'place'>> {
  readonly id: string;
  readonly score: string;
}

/** Puts back the deliveries of `claims` that this process still holds. A retry becomes due at once. */
const PUT_BACK = new Script(`
${SHARED}
${NOW}
${COMES_UP}
local first, timed, isNew = KEYS[call.first], KEYS[call.timed], false
for _, claim in ipairs(call.claims) do
  local id, stage = claim.id, claim.stage
  if redis.call('ZSCORE', timed, id) == claim.score then
    if stage == 'retry' then
      redis.call('ZADD', timed, text(math.min(now, claim.place)), id)
    else
      if stage == 'first' then redis.call('ZADD', first, claim.place, id) end
      redis.call('ZREM', timed, id)
    end
    isNew = true
  end
end
if isNew then comesUp(due, call.name, 0) end
`);

/**
 * This process's claims in one line. Only this process may attempt a claimed delivery, until it has written the outcome or the
 * lease ends. It renews the leases of attempts that are still running; a dead process renews none, so its deliveries become due.
 */
export class Leases {
  readonly #options: LeasesOptions;
  readonly #held = new Map<string, Lease>();
  /** Ids that were claimed while their messages were being stored, and that the line has not taken over yet. */
  readonly #fresh = new Set<string>();
  /** Set while a line is open. */
  room: ClaimRoom | undefined;
  #isRenewing = false;

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  /** Returns a function that tells whether the lease still holds. */
  hold(id: string, claim: Claim): () => boolean {
    this.#held.set(id, { ...claim, since: this.#options.clock.now() });
    this.#renewLater();
    return () => this.#isHeld(id);
  }

  /** Reserves room for up to `count` deliveries that are about to be stored. Returns how many places it reserved; `settle` must follow. */
  reserve(count: number): number {
    return this.room?.reserve(count) ?? 0;
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
    this.room?.free(reserved - ids.length);
    for (const [index, id] of ids.entries()) {
      this.hold(id, { stage: 'first', place: String(place + index * PLACE_STEP), until });
      this.#fresh.add(id);
    }
  }

  /**
   * Takes over a delivery that was claimed while its message was being stored. The caller starts it, and frees its reserved room.
   * Returns a function that tells whether the lease still holds; undefined if the delivery was not claimed.
   */
  takeOver(id: string): (() => boolean) | undefined {
    if (!this.#fresh.delete(id) || !this.#held.has(id)) return undefined;
    return () => this.#isHeld(id);
  }

  #isHeld(id: string): boolean {
    const { clock, leaseMs } = this.#options;
    const lease = this.#held.get(id);
    return lease !== undefined && clock.now() < lease.since + leaseMs;
  }

  /** Ends a claim whose outcome was written. If the write may have failed, the lease in Redis runs out. */
  end(id: string): void {
    this.#held.delete(id);
  }

  /** Puts the deliveries back, so that another process can claim them at once. */
  async putBack(ids: readonly string[]): Promise<void> {
    const claims = ids.flatMap((id) => {
      const lease = this.#held.get(id);
      this.#held.delete(id);
      return lease === undefined ? [] : [{ id, score: lease.until, stage: lease.stage, place: lease.place }];
    });
    for (const some of partsOf(claims)) await this.#putBack(some);
  }

  /** Removes a claimed id whose event is gone. A later count finds deliveries behind it. `until` is the score of the claim. */
  drop(id: string, until: string): Promise<void> {
    this.#held.delete(id);
    return this.#putBack([{ id, score: until }]);
  }

  async #putBack(claims: readonly PutBack[]): Promise<void> {
    const { line, partition } = this.#options;
    const script = new ScriptCall(partition.keys);
    await script.run(partition.link, PUT_BACK, { name: line.name, ...setsOf(line, script), claims });
  }

  /** Renews only leases that are still held after a quarter of their length, because most attempts end long before. */
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
    // If no line has taken them over by now, none will, so these leases are left to end.
    for (const id of ids) {
      if (!this.#fresh.delete(id)) continue;
      this.#held.delete(id);
      this.room?.free(1);
    }
    const held = ids.filter((id) => this.#held.has(id));
    for (const some of partsOf(held)) await this.#renewSome(some);
  }

  /** Ignores a failure, because there are more renewals before the lease ends. */
  async #renewSome(ids: readonly string[]): Promise<void> {
    const now = this.#options.clock.now();
    const leases = ids.flatMap((id) => {
      const lease = this.#held.get(id);
      if (lease === undefined) return [];
      const is = String(Number(lease.until) - (now - lease.since));
      this.#held.set(id, { ...lease, asked: is });
      return [{ id, was: lease.until, asked: lease.asked, is }];
    });
    const { partition, line } = this.#options;
    const renewed = await new ScriptCall([line.timed]).run(partition.link, RENEW, { leases }).catch(() => []);
    for (const [index, { id, is }] of leases.entries()) {
      const lease = this.#held.get(id);
      if (lease !== undefined && (renewed as readonly number[])[index] === 1)
        this.#held.set(id, { stage: lease.stage, place: lease.place, until: is, since: now });
    }
  }
}
