import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../support/free-port.js';

/** Settings with which Redis is accepted as a storage. */
const FIT = { appendonly: 'yes', appendfsync: 'always', 'maxmemory-policy': 'noeviction', save: '' };

/** Makes keys expire earlier. The clock of Redis cannot be moved, but this has the same effect. */
const SHORTEN = `
for _, key in ipairs(redis.call('KEYS', '{' .. ARGV[1] .. '[:}]*')) do
  local left = redis.call('PTTL', key)
  if left >= 0 then redis.call('PEXPIRE', key, left - ARGV[2]) end
end
`;

/** A real Redis on a free port, with a folder that survives the process. */
export class RedisServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'eventferry-redis-'));
  readonly #settings: Readonly<Record<string, string>>;
  readonly port: number;
  #process: ChildProcess | undefined;

  private constructor(port: number, settings: Readonly<Record<string, string>>) {
    this.port = port;
    this.#settings = settings;
  }

  /** @param settings override the default settings */
  static async start(settings: Readonly<Record<string, string>> = {}): Promise<RedisServer> {
    for (let left = 3; ; left--) {
      const server = new RedisServer(await portWithBus(), { ...FIT, ...settings });
      try {
        await server.start();
        return server;
      } catch (error) {
        // Another process has taken the port or the port of the bus.
        await server.remove();
        if (left === 1) throw error;
      }
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get isAlive(): boolean {
    return this.#process !== undefined && this.#process.exitCode === null && this.#process.signalCode === null;
  }

  async start(): Promise<void> {
    const settings = { port: String(this.port), bind: '127.0.0.1', dir: this.#folder, ...this.#settings };
    const given = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    const process = spawn('redis-server', given, { stdio: 'ignore' });
    this.#process = process;
    const ended = once(process, 'exit').then(([code]) => Promise.reject(new Error(`redis-server ended with ${code}`)));
    await Promise.race([this.#answers(), ended]);
  }

  /** Kills the process without any orderly shutdown, as when the machine loses power. */
  async kill(): Promise<void> {
    const process = this.#process;
    if (process === undefined || !this.isAlive) return;
    const ended = once(process, 'exit');
    process.kill('SIGKILL');
    await ended;
  }

  /** Stops the process, which still receives data but does nothing until it is thawed. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Opens a connection of its own, to inspect what the storage has written. */
  async look<T>(ask: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(this.url, { username: 'default', password: this.#settings['requirepass'] ?? '' });
    try {
      return await ask(redis);
    } finally {
      redis.disconnect();
    }
  }

  /** Makes time pass for the keys with that prefix. */
  async pass(prefix: string, ms: number): Promise<void> {
    await this.look((redis) => redis.eval(SHORTEN, 0, prefix, ms));
  }

  async #answers(): Promise<void> {
    const redis = new Redis(this.url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    const isNoAnswer = (error: unknown): boolean => !String(error).includes('NOAUTH');
    for (let loads = true; loads; ) loads = await redis.ping().then(() => false, isNoAnswer);
    redis.disconnect();
  }
}

/** Finds a free port whose bus port, 10,000 above it, is free too. Nodes of a cluster need both. */
async function portWithBus(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port <= 65_535 - 10_000) return port;
  }
}
