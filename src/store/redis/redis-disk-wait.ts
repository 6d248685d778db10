import { RedisFailedError } from '../errors.js';
import type { RedisClient } from './redis-client.js';

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

/** How long Redis may take to write to its disk, in ms. Less than a command may take. */
const WAIT_MS = 3_000;

/**
 * Waits until Redis has on its disk what it confirmed. WAITAOF is about what its own connection has written, and holds up
 * that connection: so this has one of its own, writes a mark, which comes after all that was confirmed on any connection, and
 * waits for that. The next wait answers all calls that came meanwhile.
 */
export class RedisDiskWait {
  readonly #link: RedisClient;
  readonly #key: string;
  #waiters: Waiter[] = [];
  #isWaiting = false;

  /** @param link a connection of its own */
  constructor(link: RedisClient, key: string) {
    this.#link = link;
    this.#key = key;
  }

  /**
   * Resolves once all that was confirmed before this call would survive the machine losing power.
   *
   * @throws RedisFailedError
   */
  settled(): Promise<void> {
    const settled = new Promise<void>((resolve, reject) => this.#waiters.push({ resolve, reject }));
    if (!this.#isWaiting) void this.#waitForAll();
    return settled;
  }

  async #waitForAll(): Promise<void> {
    this.#isWaiting = true;
    while (this.#waiters.length > 0) {
      const waiters = this.#waiters.splice(0);
      try {
        await this.#wait();
        for (const { resolve } of waiters) resolve();
      } catch (error) {
        for (const { reject } of waiters) reject(error);
      }
    }
    this.#isWaiting = false;
  }

  async #wait(): Promise<void> {
    const [, answer] = await this.#link.askAll((batch) =>
      batch.set(this.#key, '1').call('WAITAOF', '1', '0', String(WAIT_MS)),
    );
    const [local] = Array.isArray(answer) ? answer : [];
    if (local !== 1) throw new RedisFailedError(new Error(`nothing was written to its disk within ${WAIT_MS} ms`));
  }
}
