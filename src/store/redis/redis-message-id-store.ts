import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.js';
import { startInterval } from '../../interval.js';
import { KEEP_MS } from '../intake.js';
import { type RedisClient, Script } from './redis-client.js';
import { digestOf } from './redis-keys.js';

/**
 * What a claim found. `new`: the id is the caller's alone to store until `keep`, `release` or half a minute
 * later. `kept`: it was stored before. `claimed`: another caller is storing it now.
 */
export type Claim = 'new' | 'kept' | 'claimed';

export const CLAIM_MS = 30_000;

/** The most ids that one script looks after: Redis does nothing else meanwhile. */
const BATCH = 1_000;

const CLAIMS: Record<string, Claim> = { n: 'new', k: 'kept', c: 'claimed' };

/** For how long a process that was killed seems to be there still, in ms, and how often one that lives says so. */
const PRESENCE_MS = 3_000;
const SIGN_OF_LIFE_MS = 1_000;

/**
 * KEYS: one for each id. ARGV: what stands before the keys of presence, who claims, for how many ms, and for how many it
 * is present. Gives a letter for each id. The claims of a process that is not present are free.
 */
const CLAIM = new Script(`
redis.call('SET', ARGV[1] .. ARGV[2], '1', 'PX', ARGV[4])
local claims = {}
for i = 1, #KEYS do
  local holder = redis.call('GET', KEYS[i])
  if holder == '1' then claims[i] = 'k'
  elseif holder and redis.call('EXISTS', ARGV[1] .. holder) == 1 then claims[i] = 'c'
  else
    redis.call('SET', KEYS[i], ARGV[2], 'PX', ARGV[3])
    claims[i] = 'n'
  end
end
return table.concat(claims)
`);

/** KEYS: one for each id. ARGV: for how many ms. */
const KEEP = new Script(`for i = 1, #KEYS do redis.call('SET', KEYS[i], '1', 'PX', ARGV[1]) end`);

/** KEYS: one for each id. ARGV: the process that lets go. Kept ids stay, and those that another has claimed since. */
const RELEASE = new Script(`
for i = 1, #KEYS do
  if redis.call('GET', KEYS[i]) == ARGV[1] then redis.call('DEL', KEYS[i]) end
end
`);

/**
 * A key for each id, which Redis itself lets go of when its time is over. `1` stands for kept, anything else for who claims.
 * A process says every second that it is there, so that the claims of one that was killed are soon free: some clients
 * give up within seconds.
 */
export class RedisMessageIdStore {
  readonly #link: RedisClient;
  readonly #prefix: string;
  readonly #presence: string;
  readonly #endPresence: () => void;
  #claimant = randomUUID();

  constructor(link: RedisClient, prefix: string, clock: Clock) {
    this.#link = link;
    this.#prefix = prefix;
    this.#presence = `${prefix}present:`;
    this.#endPresence = startInterval({
      clock,
      everyMs: SIGN_OF_LIFE_MS,
      act: () => this.#sayPresent(),
      // A claim shows presence as well, and rejects when Redis is gone.
      onError: () => undefined,
    });
  }

  /** What each id is, in their order. Resolves once every other caller sees the claims. */
  async claim(source: string, ids: readonly string[]): Promise<Claim[]> {
    const args = [this.#presence, this.#claimant, CLAIM_MS, PRESENCE_MS];
    const answers = await this.#orRename(this.#run(CLAIM, source, ids, args));
    return [...answers.join('')].map((letter) => CLAIMS[letter] ?? 'claimed');
  }

  /** The ids are stored, and are remembered for a day. */
  async keep(source: string, ids: readonly string[]): Promise<void> {
    await this.#run(KEEP, source, ids, [KEEP_MS]);
  }

  /** Storing failed; the ids are new again. */
  async release(source: string, ids: readonly string[]): Promise<void> {
    await this.#orRename(this.#run(RELEASE, source, ids, [this.#claimant]));
  }

  /** Lets go of what it claims. */
  close(): void {
    this.#endPresence();
  }

  /**
   * A command that failed may have been carried out all the same. Under another name, claims that no process will end are free
   * as soon as the old name is no longer present.
   */
  async #orRename<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      this.#claimant = randomUUID();
      throw error;
    }
  }

  async #sayPresent(): Promise<void> {
    await this.#link.ask((redis) => redis.set(this.#presence + this.#claimant, '1', 'PX', PRESENCE_MS));
  }

  #run(script: Script, source: string, ids: readonly string[], args: readonly (string | number)[]): Promise<unknown[]> {
    const keys = ids.map((id) => `${this.#prefix}${digestOf(JSON.stringify([source, id]))}`);
    const batches = Array.from({ length: Math.ceil(keys.length / BATCH) }, (_, index) =>
      keys.slice(index * BATCH, (index + 1) * BATCH),
    );
    return Promise.all(batches.map((batch) => this.#link.run(script, batch, args)));
  }
}
