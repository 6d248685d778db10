import { Socket } from 'node:net';
import type { Cluster, Redis, RedisOptions } from 'ioredis';
import { OptionError } from '../../base/errors/errors.js';
import { RedisFailedError, RedisMissingError } from '../store-errors.js';
import { advised, type ConnectionAttempt, TOO_LATE } from './connection-advice.js';
import { clusterOptions, nodesAt, sentinelOptions } from './driver-options.js';
import type { RedisAddress } from './redis-address.js';
import { type Driver, isCluster, RedisClient } from './redis-client.js';

/** The parts of the optional package `ioredis` that we use. */
export interface Packages {
  readonly Redis: typeof import('ioredis').Redis;
  readonly Cluster: typeof import('ioredis').Cluster;
  /** Returns the slot of a key in a cluster. */
  slotOf(key: string): number;
}

/** One process's connections to each server: three, however many endpoints there are. */
export interface Connections {
  /** Serves all commands that get an answer. */
  readonly link: RedisClient;
  /** Receives notices, for which Redis requires a connection of its own. It connects on first use. */
  readonly listening: Driver;
}

/** How long a command may take, in ms, even while Redis is gone. */
const COMMAND_MS = 4_000;

/** The pause between two attempts to connect, in ms. */
const RECONNECT_MS = 500;

/** @throws RedisMissingError */
export async function loadPackages(): Promise<Packages> {
  try {
    const { Redis, Cluster, Command } = await import('ioredis');
    return { Redis, Cluster, slotOf: (key) => new Command('get', [key]).getSlot() ?? 0 };
  } catch (error) {
    throw new RedisMissingError(error);
  }
}

/**
 * Resolves once Redis answers.
 *
 * @param ca the certificate, in PEM, of the authority that signed the servers' certificates
 * @throws RedisFailedError if no connection can be made
 * @throws OptionError if a server that is given as a node of a cluster is not one
 */
export async function connect(packages: Packages, address: RedisAddress, ca?: string): Promise<Connections> {
  const redis = open(packages, address, ca);
  try {
    await connected(redis);
  } catch (error) {
    giveUp(redis);
    if (/cluster support disabled/.test(String(error))) {
      throw new OptionError('store', 'cluster', 'nodes of a Redis Cluster', 'a server of its own: give it as `url`');
    }
    throw new RedisFailedError(advised(error, attemptAt(address)));
  }
  return {
    link: new RedisClient(redis),
    // The driver of a cluster already has a connection for this.
    listening: isCluster(redis) ? redis : quiet(redis.duplicate({ maxRetriesPerRequest: null })),
  };
}

function attemptAt(address: RedisAddress): ConnectionAttempt {
  const isCluster = 'nodes' in address;
  const { protocol, hostname } = new URL(isCluster ? address.nodes[0] : address.url);
  return { isCluster, isSecure: protocol === 'rediss:', master: 'sentinels' in address ? hostname : undefined };
}

function open(packages: Packages, address: RedisAddress, ca: string | undefined): Driver {
  if ('nodes' in address) {
    const { nodes } = address;
    const options = clusterOptions(nodes[0], { ...OPTIONS, ...tlsOf(nodes[0], ca) });
    return mendedCluster(new packages.Cluster(nodesAt(nodes), options));
  }
  if ('sentinels' in address) {
    return mended(new packages.Redis({ ...OPTIONS, ...sentinelOptions(address, ca) }));
  }
  return mended(new packages.Redis(address.url, { ...OPTIONS, ...tlsOf(address.url, ca) }));
}

/** Destroys the socket with an error listener of our own, because the driver does not listen to a socket that ends during its handshake. */
function giveUp(redis: Driver): void {
  const socket: unknown = Reflect.get(redis, 'stream');
  redis.disconnect();
  if (socket instanceof Socket) socket.on('error', () => undefined).destroy();
}

const tlsOf = (url: string, ca: string | undefined): RedisOptions =>
  new URL(url).protocol === 'rediss:' ? { tls: ca === undefined ? {} : { ca } } : {};

/** The driver of a cluster manages the connections to its nodes by itself. */
function mendedCluster(cluster: Cluster): Cluster {
  const duplicate = cluster.duplicate.bind(cluster);
  cluster.duplicate = (...override) => mendedCluster(duplicate(...override));
  cluster.on('+node', mended);
  return cluster.on('error', () => undefined);
}

/**
 * Leaves a server that is no longer a master: reconnecting finds the new master behind the same name. This happens only at the
 * first refused command, because the driver would disconnect again, with one more listener, for each later one.
 *
 * If a connection ends while a command waits, the driver leaves the timer of `socketTimeout` running. The timer would keep the
 * process alive or break the next connection.
 *
 * When the driver connects again, it selects the database and subscribes by itself, and handles no failure of these calls. On a
 * server that is silent at that moment, the failure would end the process.
 */
function mended(redis: Redis): Redis {
  for (const name of ['select', 'subscribe'] as const) {
    const { [name]: call } = redis;
    Reflect.set(redis, name, (...args: unknown[]) => {
      const answer: Promise<unknown> = Reflect.apply(call, redis, args);
      answer.catch(() => undefined);
      return answer;
    });
  }
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (...override) => mended(duplicate(...override));
  let isLeaving = false;
  redis.options.reconnectOnError = ({ message }) => {
    if (isLeaving || !/^(READONLY|UNBLOCKED)/.test(message)) return false;
    isLeaving = true;
    return true;
  };
  return redis.on('close', () => {
    isLeaving = false;
    clearTimeout(Reflect.get(redis, 'socketTimeoutTimer'));
    Reflect.set(redis, 'socketTimeoutTimer', undefined);
  });
}

/** Without a listener, the driver prints errors. Failed calls reject anyway. */
const quiet = (redis: Driver): Driver => redis.on('error', () => undefined);

/** Resolves once the driver is ready, and rejects with the reason why it cannot connect. */
function connected(redis: Driver): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // The listener stays, because the driver prints errors without one. Failed calls reject anyway.
    redis.on('error', (error: Error & { lastNodeError?: Error }) => reject(error.lastNodeError ?? error));
    const timer = setTimeout(() => reject(new Error(TOO_LATE)), COMMAND_MS);
    redis.connect().then(resolve, () => undefined);
    redis.once('close', () => clearTimeout(timer));
    redis.once('ready', () => clearTimeout(timer));
  });
}

/**
 * No command takes longer than `COMMAND_MS`, so a connection that is silent for that long is dropped. A command in flight on a
 * broken connection is not repeated, because Redis may have run it.
 */
const OPTIONS = {
  lazyConnect: true,
  connectTimeout: COMMAND_MS,
  socketTimeout: COMMAND_MS,
  retryStrategy: () => RECONNECT_MS,
  commandTimeout: COMMAND_MS,
  maxRetriesPerRequest: COMMAND_MS / RECONNECT_MS - 1,
  autoResendUnfulfilledCommands: false,
} satisfies RedisOptions;
