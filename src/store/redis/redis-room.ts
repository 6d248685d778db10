import { type RedisUnfitError, StoreFullError } from '../store-errors.js';
import type { Durability } from './kept-wait.js';
import type { RedisClient } from './redis-client.js';
import { missingReplicas, problemIn, valueIn } from './redis-fitness.js';

/**
 * When the share of free memory is below this, new events are refused: deliveries need the rest, because they take memory too.
 */
const LEAST_FREE = 0.1;
const LEAST_FREE_AGAIN = 0.125;

/** History is kept only while a larger share is free, so that it never takes the memory that new events need. */
const LEAST_FREE_FOR_HISTORY = 2 * LEAST_FREE;

/** Checks whether there is room for more, and whether every server would keep what it confirms. */
export class RedisRoom {
  readonly #link: RedisClient;
  readonly #durability: Durability;
  readonly #onWarning: (text: string) => void;
  /** The free bytes of the fullest server; undefined while all have enough. */
  #freeBytes: number | undefined;
  /** How many more bytes history may take, according to the last measurement. */
  spareBytes = Number.POSITIVE_INFINITY;
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
   * Measures the memory. A shortage begins when too little memory is free, and ends only when a little more is free, so that
   * the result does not alternate.
   */
  async measure(): Promise<void> {
    const infos = await Promise.all(
      this.#link.masters.map((link) =>
        link.askAll((batch) => batch.info('memory').info('persistence').info('replication')),
      ),
    );
    this.#note(infos.map((info) => this.#problemIn(info.join('\n'))).find((problem) => problem !== undefined));
    const least = this.#freeBytes === undefined ? LEAST_FREE : LEAST_FREE_AGAIN;
    const rooms = infos.map(([memory]) => roomIn(String(memory)));
    const free = rooms.filter((room) => room.free < room.limit * least).map((room) => room.free);
    this.#freeBytes = free.length === 0 ? undefined : Math.max(0, Math.min(...free));
    this.spareBytes = Math.min(...rooms.map((room) => room.free - room.limit * LEAST_FREE_FOR_HISTORY));
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

/** Returns the memory limit of a server, and how much of it is free. Without a limit, endlessly much is free. */
function roomIn(info: string): { readonly limit: number; readonly free: number } {
  const [limit = 0, used = 0] = ['maxmemory', 'used_memory'].map((name) => Number(valueIn(info, name) ?? 0));
  return { limit, free: limit > 0 ? limit - used : Number.POSITIVE_INFINITY };
}
