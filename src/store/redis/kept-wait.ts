import { setTimeout as delay } from 'node:timers/promises';
import { RedisFailedError } from '../store-errors.js';
import { type Driver, isCluster, RedisClient } from './redis-client.js';
import { TurnBatch } from './turn-batch.js';

/** How durable a write must be before it is confirmed. */
export interface Durability {
  /** True if the server must have it on disk. */
  readonly disk: boolean;
  /** The number of replicas that must have it. */
  readonly replicas: number;
}

/** The data that must exist: some keys, or one field of a hash. */
export type Stored = { readonly keys: readonly string[] } | { readonly hash: string; readonly field: string };

/** How long the wait is repeated, every `AGAIN_MS`, while a node is being replaced, in ms. */
const PATIENCE_MS = 4_000;
const AGAIN_MS = 100;

/** These errors pass by themselves when slots have moved or a replica has taken over. Only they are retried. */
const PASSING = /MOVED|ASK|TRYAGAIN|CLUSTERDOWN|READONLY|LOADING|closed|ECONNREFUSED|no node|no connection/;

/** Waits until confirmed writes are as durable as configured, at the server or at the nodes of a cluster that have them. */
export class KeptWait {
  readonly #redis: Driver;
  readonly #slotOf: (key: string) => number;
  readonly #durability: Durability;
  /** The keys are the addresses of nodes; a single server has an empty one. */
  readonly #servers = new Map<string, ServerWait>();

  constructor(redis: Driver, slotOf: (key: string) => number, durability: Durability) {
    this.#redis = redis;
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

  /** The lowest number of replicas that had the data after a server's last wait, if that was too low at any server. */
  get tooFew(): number | undefined {
    const counts = [...this.#servers.values()].flatMap(({ tooFew }) => tooFew ?? []);
    return counts.length === 0 ? undefined : Math.min(...counts);
  }

  disconnect(): void {
    for (const { link } of this.#servers.values()) link.redis.disconnect();
  }

  async #keptBy(stored: Stored, deadline: number): Promise<void> {
    for (;;) {
      try {
        return await this.#serverOf(stored).kept(stored);
      } catch (error) {
        if (!isCluster(this.#redis) || Date.now() >= deadline || !PASSING.test(String(error))) throw error;
        this.#redis.refreshSlotsCache();
      }
      await delay(AGAIN_MS);
    }
  }

  #serverOf(stored: Stored): ServerWait {
    const redis = this.#redis;
    const name = isCluster(redis) ? (redis.slots[this.#slotOf(keyOf(stored))]?.[0] ?? '') : '';
    return this.#servers.get(name) ?? this.#open(name);
  }

  #open(name: string): ServerWait {
    const redis = this.#redis;
    const server = isCluster(redis)
      ? redis.nodes('master').find(({ options }) => `${options.host}:${options.port}` === name)
      : redis;
    if (server === undefined) throw new RedisFailedError(new Error('no node has what was stored'));
    const own = server.duplicate();
    own.on('error', () => undefined);
    // The connection to a node does not reconnect by itself, so the next call opens another.
    own.once('end', () => this.#servers.delete(name));
    const wait = new ServerWait(new RedisClient(own), this.#durability);
    this.#servers.set(name, wait);
    return wait;
  }
}

/** How long the disk and the replicas may take, in ms. It is shorter than the timeout of a command. */
const WAIT_MS = 3_000;

/**
 * Waits for one server. WAIT and WAITAOF cover only writes of their own connection, and block it, so this class needs a
 * connection of its own. One batch does three things: it checks that the data exists, because a server without it may have
 * replaced the one that confirmed it; it writes a mark, which comes after that data in the log; and it waits for the mark. Calls
 * that arrive during a wait share the next one.
 */
class ServerWait {
  readonly link: RedisClient;
  readonly #durability: Durability;
  readonly #turn = new TurnBatch<Stored, void>({ most: Infinity, waitMs: Infinity }, (stored) => this.#wait(stored));
  #following: number | undefined;

  /** @param link a connection to one server, used for nothing else */
  constructor(link: RedisClient, durability: Durability) {
    this.link = link;
    this.#durability = durability;
  }

  /** The number of replicas that had the data after the last wait, if these were too few; undefined otherwise. */
  get tooFew(): number | undefined {
    return this.#following;
  }

  /**
   * Resolves once writes that were confirmed before this call are durable.
   *
   * @throws RedisFailedError
   */
  kept(stored: Stored): Promise<void> {
    return this.#turn.ask(stored);
  }

  /** Returns an error for data that does not exist. */
  async #wait(stored: readonly Stored[]): Promise<(RedisFailedError | undefined)[]> {
    const { disk, replicas } = this.#durability;
    const answers = await this.link.askAll((batch) => {
      for (const each of stored) {
        if ('keys' in each) batch.exists(...each.keys);
        else batch.hexists(each.hash, each.field);
      }
      // All the data is on one server, so any of its keys will do.
      batch.set(markBeside(stored[0] as Stored), '1');
      if (disk) batch.call('WAITAOF', '1', '0', String(WAIT_MS));
      return replicas > 0 ? batch.wait(replicas, WAIT_MS) : batch;
    });
    const [, ...waits] = answers.splice(stored.length);
    if (disk) assertOnDisk(waits.shift());
    if (replicas > 0) this.#assertFollowed(Number(waits.shift()), replicas);
    return stored.map((each, index) =>
      answers[index] === ('keys' in each ? each.keys.length : 1)
        ? undefined
        : failure('another server took the place of the one that had stored it'),
    );
  }

  #assertFollowed(following: number, replicas: number): void {
    this.#following = following < replicas ? following : undefined;
    if (following >= replicas) return;
    throw failure(`${following} of ${replicas} replicas that are waited for had it within ${WAIT_MS} ms`);
  }
}

/** The key of the stored data; the first key if there are several. */
const keyOf = (stored: Stored): string => ('keys' in stored ? (stored.keys[0] ?? '') : stored.hash);

/** Returns a key in the same slot, and therefore on the same server. */
const markBeside = (stored: Stored): string => keyOf(stored).replace(/\}.*$/s, '}:written');

const failure = (text: string): RedisFailedError => new RedisFailedError(new Error(text));

function assertOnDisk(answer: unknown): void {
  const [local] = Array.isArray(answer) ? answer : [];
  if (local !== 1) throw failure(`nothing was written to its disk within ${WAIT_MS} ms`);
}
