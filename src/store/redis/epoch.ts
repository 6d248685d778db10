import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/time/clock.js';
import { startInterval } from '../../base/time/interval.js';
import type { RedisClient } from './redis-client.js';

/** The epoch is checked this often, in ms. */
const LOOK_MS = 1_000;

export interface EpochOptions {
  readonly link: RedisClient;
  readonly clock: Clock;
  /** The hash tag of each partition's keys: a cluster can lose one partition alone. */
  readonly tags: readonly string[];
  /** Writes again what a storage cannot be without, before any new epoch is written. */
  restore(): Promise<void>;
  /** Called once each time that the stored data is gone. */
  onEmptied(): void;
}

/**
 * A random id in each partition, written by the first process that finds none. We never remove or change it, so a
 * process that finds another id, or none, knows that Redis was emptied or that a server without the data took over.
 */
export class Epoch {
  readonly #options: EpochOptions;
  readonly #known: Map<string, string>;
  /** True if no partition had an id when the storage was opened: then the storage holds nothing yet. */
  readonly isNew: boolean;
  #stop = (): void => undefined;

  private constructor(options: EpochOptions, known: Map<string, string>, isNew: boolean) {
    this.#options = options;
    this.#known = known;
    this.isNew = isNew;
  }

  static async open(options: EpochOptions): Promise<Epoch> {
    const found = await Promise.all(
      options.tags.map(async (tag) => [tag, await readOrBegin(options.link, tag)] as const),
    );
    const known = new Map(found.map(([tag, { id }]) => [tag, id]));
    const epoch = new Epoch(
      options,
      known,
      found.every(([, { isNew }]) => isNew),
    );
    epoch.#stop = startInterval({
      clock: options.clock,
      everyMs: LOOK_MS,
      act: () => epoch.look(),
      // Calls that read or write report that Redis is gone.
      onError: () => undefined,
    });
    return epoch;
  }

  /** Compares each partition's epoch with the known one. If one has changed, it adopts the new one and calls `onEmptied`. */
  async look(): Promise<void> {
    const moved = await Promise.all([...this.#known].map(([tag, id]) => this.#isOver(tag, id)));
    if (moved.includes(true)) this.#options.onEmptied();
  }

  stop(): void {
    this.#stop();
  }

  async #isOver(tag: string, id: string): Promise<boolean> {
    const { link, restore } = this.#options;
    if ((await read(link, tag)) === id) return false;
    await restore();
    const found = await readOrBegin(link, tag);
    // Two checks may find the same change at the same time; only the first reports it.
    if (this.#known.get(tag) !== id) return false;
    this.#known.set(tag, found.id);
    return true;
  }
}

async function readOrBegin(link: RedisClient, tag: string): Promise<{ id: string; isNew: boolean }> {
  const found = await read(link, tag);
  if (found !== null) return { id: found, isNew: false };
  const id = randomUUID();
  // NX, because another process may have written one meanwhile.
  const isNew = (await link.ask((redis) => redis.set(keyOf(tag), id, 'NX'))) === 'OK';
  return isNew ? { id, isNew } : readOrBegin(link, tag);
}

const read = (link: RedisClient, tag: string): Promise<string | null> => link.ask((redis) => redis.get(keyOf(tag)));

const keyOf = (tag: string): string => `{${tag}}:epoch`;
