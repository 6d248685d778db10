import { type RedisUnfitError, StoreFullError } from '../store-errors.js';
import type { Durability } from './kept-wait.js';
import type { RedisClient } from './redis-client.js';
import { missingReplicas, problemIn, valueIn } from './redis-fitness.js';

/**
 * When the share of free memory is below this, new events are refused: deliveries need the rest, because they take memory too.
 */
const LEAST_FREE = 0.1;
const LEAST_FREE_AGAIN = 0.125;

/** Checks whether there is room for more, and whether every server would keep what it confirms. */
export class RedisRoom {
  readonly #link: RedisClient;
  readonly #durability: Durability;
  readonly #onWarning: (text: string) => void;
  /** The free bytes of the fullest server; undefined while all have enough. */
  #freeBytes: number | undefined;
  /** Why a server would lose what it confirms with its present settings. */
  #problem: RedisUnfitError | undefined;

  constructor(link: RedisClient, durability: Durability, onWarning: (text: string) => void) {
    this.#link = link;
    this.#durability = durability;
    this.#onWarning = onWarning;
  }

  /**
   * Throws if the last measurement found a problem.
   *
   * @throws RedisUnfitError, StoreFullError
   */
  assert(): void {
    if (this.#problem !== undefined) throw this.#problem;
    if (this.#freeBytes !== undefined) throw new StoreFullError('Redis', this.#freeBytes);
  }

  /**
   * Measures the memory. After a shortage a little more memory must be free than before it, so that the result does not
   * alternate.
   */
  async measure(): Promise<void> {
    const infos = await Promise.all(
      this.#link.masters.map((link) =>
        link.askAll((batch) => batch.info('memory').info('persistence').info('replication')),
      ),
    );
    this.#note(infos.map((info) => this.#problemIn(info.join('\n'))).find((problem) => problem !== undefined));
    const least = this.#freeBytes === undefined ? LEAST_FREE : LEAST_FREE_AGAIN;
    const free = infos.flatMap(([memory]) => shortageIn(String(memory), least) ?? []);
    this.#freeBytes = free.length === 0 ? undefined : Math.max(0, Math.min(...free));
  }

  /** Returns the bytes that all servers use, including keys of other programs, because the limit applies to that total. */
  async used(): Promise<number> {
    const infos = await Promise.all(this.#link.masters.map((link) => link.ask((redis) => redis.info('memory'))));
    return infos.reduce((used, info) => used + Number(valueIn(info, 'used_memory')), 0);
  }

  #problemIn(info: string): RedisUnfitError | undefined {
    return problemIn(info, this.#durability) ?? missingReplicas(info, this.#durability);
  }

  /** Warns when the problem changes. Settings can change while Redis runs, and another server can take its place. */
  #note(problem: RedisUnfitError | undefined): void {
    const before = this.#problem;
    this.#problem = problem;
    if (before?.message === problem?.message) return;
    const text =
      problem === undefined ? 'Redis is set up again as it has to be' : `${problem.message}. New events are refused`;
    this.#onWarning(text);
  }
}

/** Returns the free bytes of a server if they are less than this share of its limit. */
function shortageIn(info: string, least: number): number | undefined {
  const [limit = 0, used = 0] = ['maxmemory', 'used_memory'].map((name) => Number(valueIn(info, name) ?? 0));
  const free = limit - used;
  return limit > 0 && free < limit * least ? free : undefined;
}
