import { createHash } from 'node:crypto';
import type { ChainableCommander, Cluster, Redis } from 'ioredis';
import { RedisFailedError } from '../errors.js';

/** A script that Redis runs as one: nothing comes between its commands, and all of it is kept or none. */
export class Script {
  readonly lua: string;
  readonly sha: string;

  constructor(lua: string) {
    this.lua = lua;
    this.sha = createHash('sha1').update(lua).digest('hex');
  }
}

export type ScriptArgument = string | number | Uint8Array;

/** What sends commands: to one server, or to that node of a cluster which has the key. */
export type Driver = Redis | Cluster;

/** Asks Redis, and gets an answer or a `RedisFailedError` within seconds, however long Redis is gone. */
export class RedisClient {
  readonly redis: Driver;

  constructor(redis: Driver) {
    this.redis = redis;
  }

  async ask<T>(command: (redis: Driver) => Promise<T>): Promise<T> {
    try {
      // Without a node the driver of a cluster would let a command wait however long that lasts.
      if (isCluster(this.redis) && this.redis.status !== 'ready') throw new Error('no connection');
      return await command(this.redis);
    } catch (error) {
      throw new RedisFailedError(error);
    }
  }

  /** The server, or those of a cluster that have keys of their own. */
  get masters(): readonly RedisClient[] {
    return isCluster(this.redis) ? this.redis.nodes('master').map((node) => new RedisClient(node)) : [this];
  }

  /** Sends several commands, of one slot where it is a cluster, at once; rejects when one of them failed. */
  askAll(commands: (batch: ChainableCommander) => ChainableCommander): Promise<unknown[]> {
    return this.ask(async (redis) => {
      const results = (await commands(redis.pipeline()).exec()) ?? [];
      return results.map(([error, result]) => {
        if (error !== null) throw error;
        return result;
      });
    });
  }

  run(script: Script, keys: readonly string[], args: readonly ScriptArgument[]): Promise<unknown> {
    return this.#run(script, keys, args, 'call');
  }

  /** Gives bytes where `run` gives text. */
  runForBytes(script: Script, keys: readonly string[], args: readonly ScriptArgument[]): Promise<unknown> {
    return this.#run(script, keys, args, 'callBuffer');
  }

  #run(
    script: Script,
    keys: readonly string[],
    args: readonly ScriptArgument[],
    call: 'call' | 'callBuffer',
  ): Promise<unknown> {
    const given = [keys.length, ...keys, ...args.map((arg) => (arg instanceof Uint8Array ? bytesOf(arg) : arg))];
    return this.ask((redis) =>
      redis[call]('EVALSHA', script.sha, ...given).catch((error: unknown) => {
        // A server that was restarted has forgotten its scripts.
        if (!String(error).includes('NOSCRIPT')) throw error;
        return redis[call]('EVAL', script.lua, ...given);
      }),
    );
  }
}

export const isCluster = (redis: Driver): redis is Cluster => redis.isCluster;

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);
