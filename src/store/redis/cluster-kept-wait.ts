import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from 'ioredis';
import { RedisFailedError } from '../errors.js';
import { type Durability, KeptWait, keyOf, type Stored } from './kept-wait.js';
import { RedisClient } from './redis-client.js';

/** How long, and how often, the wait is repeated while a node is being replaced, in ms. */
const PATIENCE_MS = 4_000;
const AGAIN_MS = 100;

/** These errors pass without help when slots move or a replica takes over. Only they are retried. */
const PASSING = /MOVED|ASK|TRYAGAIN|CLUSTERDOWN|READONLY|LOADING|closed|ECONNREFUSED|no node|no connection/;

interface Node {
  readonly link: RedisClient;
  readonly wait: KeptWait;
}

/**
 * Waits until the nodes of a cluster have made writes durable. WAIT covers only the node that was written to, so each
 * node has a connection of its own.
 */
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
   * Resolves once writes that were confirmed before this call are durable.
   *
   * @throws RedisFailedError
   */
  async kept(stored: readonly Stored[]): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    await Promise.all(stored.map((each) => this.#keptBy(each, deadline)));
  }

  /** The smallest `tooFew` of all nodes; undefined if each had enough replicas. */
  get tooFew(): number | undefined {
    const counts = [...this.#nodes.values()].flatMap(({ wait }) => wait.tooFew ?? []);
    return counts.length === 0 ? undefined : Math.min(...counts);
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
    // This connection does not reconnect by itself, so the next call opens another.
    redis.once('end', () => this.#nodes.delete(name));
    const link = new RedisClient(redis);
    const node = { link, wait: new KeptWait(link, this.#durability) };
    this.#nodes.set(name, node);
    return node;
  }
}
