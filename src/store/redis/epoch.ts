import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/time/clock.js';
import { startInterval } from '../../base/time/interval.js';
import type { RedisClient } from './redis-client.js';

/** How often it is looked whether everything is still there, in ms. */
const LOOK_MS = 1_000;

export interface EpochOptions {
  readonly link: RedisClient;
  readonly clock: Clock;
  /** What stands between the braces of the keys of each partition: a cluster can lose one of them. */
  readonly tags: readonly string[];
  /** Writes again what says how the storage is laid out, before anything else begins anew. */
  restore(): Promise<void>;
  /** Told once each time that what was kept is gone. */
  onEmptied(): void;
}

/**
 * A random id in each partition, put down by whoever finds none. Nothing of ours removes or changes it, so a process that finds another,
 * or none, knows that somebody emptied Redis or that a server without the data took over.
 */
export class Epoch {
  readonly #options: EpochOptions;
  readonly #known: Map<string, string>;
  /** Whether there was none when the storage was opened: then nothing is kept. */
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
      // Whoever reads or writes is told that Redis is gone.
      onError: () => undefined,
    });
    return epoch;
  }

  /** Goes on with the new epoch where the old one is gone, so that the storage can be opened again. */
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
    // Two looks may find the same at the same time.
    if (this.#known.get(tag) !== id) return false;
    this.#known.set(tag, found.id);
    return true;
  }
}

async function readOrBegin(link: RedisClient, tag: string): Promise<{ id: string; isNew: boolean }> {
  const found = await read(link, tag);
  if (found !== null) return { id: found, isNew: false };
  const id = randomUUID();
  // Another process may have been first.
  const isNew = (await link.ask((redis) => redis.set(keyOf(tag), id, 'NX'))) === 'OK';
  return isNew ? { id, isNew } : readOrBegin(link, tag);
}

const read = (link: RedisClient, tag: string): Promise<string | null> => link.ask((redis) => redis.get(keyOf(tag)));

const keyOf = (tag: string): string => `{${tag}}:epoch`;
