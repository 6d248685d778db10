import { createHash } from 'node:crypto';
import type { ChainableCommander, Cluster, Redis } from 'ioredis';
import { RedisFailedError } from '../store-errors.js';

/** A script that Redis runs atomically: no other command runs in between, and Redis persists all of it or nothing. */
export class Script {
  readonly lua: string;
  readonly sha: string;

  constructor(lua: string) {
    this.lua = lua;
    this.sha = createHash('sha1').update(lua).digest('hex');
  }
}

export type ScriptArgument = string | number | Uint8Array;

/** Sends commands to one server, or to the node of a cluster that has the key. */
export type Driver = Redis | Cluster;

/** Asks Redis. Every call answers or rejects with `RedisFailedError` within seconds, however long Redis is gone. */
export class RedisClient {
  readonly redis: Driver;

  constructor(redis: Driver) {
    this.redis = redis;
  }

  async ask<T>(command: (redis: Driver) => Promise<T>): Promise<T> {
    try {
      // Without a node, the driver of a cluster would keep a command waiting forever.
      if (isCluster(this.redis) && this.redis.status !== 'ready') throw new Error('no connection');
      return await command(this.redis);
    } catch (error) {
      throw new RedisFailedError(error);
    }
  }

  /** Writes a value unless the key exists. Returns the value that is there now. */
  async setOnce(key: string, value: string): Promise<string> {
    for (;;) {
      await this.ask((redis) => redis.set(key, value, 'NX'));
      const found = await this.ask((redis) => redis.get(key));
      // It is missing only if Redis was emptied in the meantime.
      if (found !== null) return found;
    }
  }

  /** The server, or all masters of a cluster. */
  get masters(): readonly RedisClient[] {
    return isCluster(this.redis) ? this.redis.nodes('master').map((node) => new RedisClient(node)) : [this];
  }

  /** Sends several commands in one pipeline. In a cluster, all keys must lie in one slot. Rejects if any command fails. */
  askAll(commands: (batch: ChainableCommander) => ChainableCommander): Promise<unknown[]> {
    return this.ask(async (redis) => {
      const results = (await commands(redis.pipeline()).exec()) ?? [];
      return results.map(([error, result]) => {
        if (error !== null) throw error;
        return result;
      });
    });
  }

  /** @param inBytes true to return bytes instead of text */
  run(
    script: Script,
    keys: readonly string[],
    args: readonly ScriptArgument[],
    { inBytes = false } = {},
  ): Promise<unknown> {
    const call = inBytes ? 'callBuffer' : 'call';
    const given = [keys.length, ...keys, ...args.map((arg) => (arg instanceof Uint8Array ? bytesOf(arg) : arg))];
    return this.ask((redis) =>
      redis[call]('EVALSHA', script.sha, ...given).catch((error: unknown) => {
        // A restarted server does not remember its scripts.
        if (!String(error).includes('NOSCRIPT')) throw error;
        return redis[call]('EVAL', script.lua, ...given);
      }),
    );
  }
}

export const isCluster = (redis: Driver): redis is Cluster => redis.isCluster;

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);
