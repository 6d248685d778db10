import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { freePort } from '../support/free-port.js';
import { until } from './redis-cluster.js';
import { RedisServer } from './redis-server.js';

/** How long a server may be silent before a sentinel considers it down, in ms. */
const DOWN_MS = 1_000;

/** A real master with a replica, watched by three real sentinels of which two must agree. It runs until the test ends. */
export class RedisSentinels {
  /** The first was the master at the start. */
  readonly servers: readonly [RedisServer, RedisServer];
  /** The URLs of the sentinels. */
  readonly sentinels: readonly string[];
  readonly name: string;

  private constructor(servers: readonly [RedisServer, RedisServer], sentinels: readonly string[], name: string) {
    this.servers = servers;
    this.sentinels = sentinels;
    this.name = name;
  }

  /** @param password the password of the servers; the sentinels have none */
  static async start(name: string, password: string): Promise<RedisSentinels> {
    const access = { requirepass: password, masterauth: password };
    const master = await started(access);
    const replica = await started({ ...access, replicaof: `127.0.0.1 ${master.port}` });
    await until('the replica to follow', async () =>
      /state=online/.test(await master.look((redis) => redis.info('replication'))),
    );
    const ports = await Promise.all([freePort(), freePort(), freePort()]);
    for (const port of ports) await startSentinel(port, name, master.port, password);
    const sentinels = new RedisSentinels(
      [master, replica],
      ports.map((port) => `redis://127.0.0.1:${port}`),
      name,
    );
    await until('the sentinels to know each other and the replica', async () => {
      const known = await Promise.all(ports.map((port) => sentinels.#seenBy(port)));
      return known.every(({ others, replicas }) => others === 2 && replicas === 1);
    });
    return sentinels;
  }

  /** Returns the options for a client. */
  address(password: string): { url: string; sentinels: readonly string[] } {
    return { url: `redis://:${password}@${this.name}`, sentinels: this.sentinels };
  }

  /** Makes the sentinels swap master and replica, as an operator does, and resolves once they name the new master. */
  async failOver(): Promise<void> {
    const [first = ''] = this.sentinels;
    const before = await this.masterPort();
    await ask(first, (redis) => redis.call('SENTINEL', 'FAILOVER', this.name));
    await until('another master', async () => (await this.masterPort()) !== before);
  }

  /** Returns the port of the master according to the first sentinel. */
  async masterPort(): Promise<number> {
    const [first = ''] = this.sentinels;
    const address = await ask(first, (redis) => redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', this.name));
    return Number((address as string[])[1]);
  }

  async #seenBy(port: number): Promise<{ others: number; replicas: number }> {
    return ask(`redis://127.0.0.1:${port}`, async (redis) => {
      const others = (await redis.call('SENTINEL', 'SENTINELS', this.name)) as unknown[];
      const replicas = (await redis.call('SENTINEL', 'REPLICAS', this.name)) as unknown[];
      return { others: others.length, replicas: replicas.length };
    });
  }
}

async function started(settings: Readonly<Record<string, string>>): Promise<RedisServer> {
  const server = await RedisServer.start(settings);
  onTestFinished(() => server.remove());
  return server;
}

/** Starts a sentinel, which writes what it learns into its configuration file. */
async function startSentinel(port: number, name: string, masterPort: number, password: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'eventferry-sentinel-'));
  const file = join(folder, 'sentinel.conf');
  writeFileSync(
    file,
    [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${folder}`,
      `sentinel monitor ${name} 127.0.0.1 ${masterPort} 2`,
      `sentinel auth-pass ${name} ${password}`,
      `sentinel down-after-milliseconds ${name} ${DOWN_MS}`,
      `sentinel failover-timeout ${name} 2000`,
      '',
    ].join('\n'),
  );
  const child = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  await until('a sentinel to answer', () =>
    ask(`redis://127.0.0.1:${port}`, (redis) => redis.ping()).then(isPong, () => false),
  );
}

const isPong = (answer: string): boolean => answer === 'PONG';

async function ask<T>(url: string, command: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { maxRetriesPerRequest: 1, retryStrategy: () => 50 });
  redis.on('error', () => undefined);
  try {
    return await command(redis);
  } finally {
    redis.disconnect();
  }
}
