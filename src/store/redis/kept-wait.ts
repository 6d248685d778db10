import { RedisFailedError } from '../errors.js';
import type { RedisClient } from './redis-client.js';

/** How well what was stored is to be kept before it is confirmed. */
export interface Durability {
  /** It is on the server's disk. */
  readonly disk: boolean;
  /** So many replicas have it. */
  readonly replicas: number;
}

/** What has to be there: keys, or a field of a hash. */
export type Stored = { readonly keys: readonly string[] } | { readonly hash: string; readonly field: string };

interface Waiter {
  readonly stored: readonly Stored[];
  resolve(): void;
  reject(error: unknown): void;
}

/** How long Redis may take to write to its disk, or its replicas to follow, in ms. Less than a command may take. */
const WAIT_MS = 3_000;

/**
 * Waits until what Redis confirmed is as durable as it was configured to be. WAIT and WAITAOF are about what their own connection has
 * written, and hold up that connection: so this has one of its own. It looks whether what was stored is there, as another server
 * that lacks it may have taken the place of the one that confirmed it; writes a mark, which comes after all that is there; and
 * waits for that. The next wait answers all calls that came meanwhile.
 */
export class KeptWait {
  readonly #link: RedisClient;
  readonly #durability: Durability;
  #waiters: Waiter[] = [];
  #isWaiting = false;

  /** @param link a connection of its own, to one server */
  constructor(link: RedisClient, durability: Durability) {
    this.#link = link;
    this.#durability = durability;
  }

  /**
   * Resolves once what was stored, and confirmed before this call, is kept.
   *
   * @throws RedisFailedError
   */
  kept(stored: readonly Stored[]): Promise<void> {
    const kept = new Promise<void>((resolve, reject) => this.#waiters.push({ stored, resolve, reject }));
    if (!this.#isWaiting) void this.#waitForAll();
    return kept;
  }

  async #waitForAll(): Promise<void> {
    this.#isWaiting = true;
    while (this.#waiters.length > 0) {
      const waiters = this.#waiters.splice(0);
      try {
        const areThere = await this.#wait(waiters);
        for (const [index, { resolve, reject }] of waiters.entries()) {
          if (areThere[index] === true) resolve();
          else reject(failure('another server took the place of the one that had stored it'));
        }
      } catch (error) {
        for (const { reject } of waiters) reject(error);
      }
    }
    this.#isWaiting = false;
  }

  /** Says of each whether all that it stored is there. */
  async #wait(waiters: readonly Waiter[]): Promise<boolean[]> {
    const { disk, replicas } = this.#durability;
    const [first] = waiters.flatMap(({ stored }) => stored);
    if (first === undefined) return waiters.map(() => true);
    const answers = await this.#link.askAll((batch) => {
      for (const each of waiters.flatMap(({ stored }) => stored)) {
        if ('keys' in each) batch.exists(...each.keys);
        else batch.hexists(each.hash, each.field);
      }
      batch.set(markBeside(first), '1');
      if (disk) batch.call('WAITAOF', '1', '0', String(WAIT_MS));
      return replicas > 0 ? batch.wait(replicas, WAIT_MS) : batch;
    });
    const areThere = waiters.map(({ stored }) => {
      const found = answers.splice(0, stored.length);
      return stored.every((each, index) => found[index] === ('keys' in each ? each.keys.length : 1));
    });
    const [, ...waits] = answers;
    if (disk) assertOnDisk(waits.shift());
    if (replicas > 0) assertFollowed(waits.shift(), replicas);
    return areThere;
  }
}

/** The key that something was stored under; of several, one. */
export const keyOf = (stored: Stored): string => ('keys' in stored ? (stored.keys[0] ?? '') : stored.hash);

/** On the same server. */
const markBeside = (stored: Stored): string => keyOf(stored).replace(/\}.*$/s, '}:written');

const failure = (text: string): RedisFailedError => new RedisFailedError(new Error(text));

function assertOnDisk(answer: unknown): void {
  const [local] = Array.isArray(answer) ? answer : [];
  if (local !== 1) throw failure(`nothing was written to its disk within ${WAIT_MS} ms`);
}

function assertFollowed(answer: unknown, replicas: number): void {
  if (Number(answer) >= replicas) return;
  throw failure(`${answer} of ${replicas} replicas that are waited for had it within ${WAIT_MS} ms`);
}
