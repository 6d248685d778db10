import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from 'ioredis';
import { RedisFailedError } from '../errors.js';
import { type Durability, KeptWait, keyOf, type Stored } from './kept-wait.js';
import { RedisClient } from './redis-client.js';

/** How long what lies on a node that is being replaced is asked for again, and how often, in ms. */
const PATIENCE_MS = 4_000;
const AGAIN_MS = 100;

/** What changes by itself, as slots move or a replica takes over. Nothing else is asked for again. */
const PASSING = /MOVED|ASK|TRYAGAIN|CLUSTERDOWN|READONLY|LOADING|closed|ECONNREFUSED|no node|no connection/;

interface Node {
  readonly link: RedisClient;
  readonly wait: KeptWait;
}

/** Waits for the nodes of a cluster, each on a connection of its own: WAIT is about the node that was written to. */
export class ClusterKeptWait {
  readonly #cluster: Cluster;
  readonly #slotOf: (key: string) => number;
  readonly #durability: Durability;
  readonly #nodes = new Map<string, Node>();

  constructor(cluster: Cluster, slotOf: (key: string) => number, durability: Durability) {
    this.#cluster = cluster;
    this.#slotOf = slotOf;
    this.#durability = durability;
  }

  /**
   * Resolves once what was stored, and confirmed before this call, is kept.
   *
   * @throws RedisFailedError
   */
  async kept(stored: readonly Stored[]): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    await Promise.all(stored.map((each) => this.#keptBy(each, deadline)));
  }

  disconnect(): void {
    for (const { link } of this.#nodes.values()) link.redis.disconnect();
  }

  async #keptBy(stored: Stored, deadline: number): Promise<void> {
    for (;;) {
      try {
        return await this.#nodeFor(stored).wait.kept([stored]);
      } catch (error) {
        if (Date.now() >= deadline || !PASSING.test(String(error))) throw error;
      }
      this.#cluster.refreshSlotsCache();
      await delay(AGAIN_MS);
    }
  }

  #nodeFor(stored: Stored): Node {
    const name = this.#cluster.slots[this.#slotOf(keyOf(stored))]?.[0] ?? '';
    return this.#nodes.get(name) ?? this.#open(name);
  }

  #open(name: string): Node {
    const master = this.#cluster.nodes('master').find(({ options }) => `${options.host}:${options.port}` === name);
    if (master === undefined) throw new RedisFailedError(new Error('no node has what was stored'));
    const redis = master.duplicate();
    redis.on('error', () => undefined);
    // It does not come back by itself.
    redis.once('end', () => this.#nodes.delete(name));
    const link = new RedisClient(redis);
    const node = { link, wait: new KeptWait(link, this.#durability) };
    this.#nodes.set(name, node);
    return node;
  }
}
