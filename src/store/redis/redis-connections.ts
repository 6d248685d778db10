import { Socket } from 'node:net';
import type { Cluster, Redis, RedisOptions } from 'ioredis';
import { OptionError } from '../../base/errors/errors.js';
import { RedisFailedError, RedisMissingError } from '../errors.js';
import { clusterOptions, nodesAt } from './cluster-options.js';
import { type Attempt, advised, TOO_LATE } from './connection-advice.js';
import type { Address } from './redis-address.js';
import { type Driver, isCluster, RedisClient } from './redis-client.js';
import { sentinelOptions } from './sentinel-options.js';

/** The optional packages that Redis needs. */
export interface Packages {
  readonly Redis: typeof import('ioredis').Redis;
  readonly Cluster: typeof import('ioredis').Cluster;
  /** The slot in which a cluster has the key. */
  slotOf(key: string): number;
}

/** The connections of one process to each server: three, however many endpoints there are. */
export interface Connections {
  /** For calls that wait for an answer. */
  readonly link: RedisClient;
  /** For notices, which its connection alone is for. It connects when it is used. */
  readonly listening: Driver;
  /** For waiting for the disk, which holds up its connection. It connects when it is used. */
  readonly waiting: RedisClient;
}

/** How long a command may take, Redis being gone included, in ms. */
const COMMAND_MS = 4_000;

/** How often a connection is tried again, in ms. */
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
 * @param ca the certificate of the authority that has signed the servers', in PEM
 * @throws RedisFailedError when there is no connection.
 * @throws OptionError when a server is no node of a cluster, and is said to be one.
 */
export async function connect(packages: Packages, address: Address, ca?: string): Promise<Connections> {
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
    // A cluster has one for this already.
    listening: isCluster(redis) ? redis : quiet(redis.duplicate({ maxRetriesPerRequest: null })),
    waiting: new RedisClient(quiet(redis.duplicate())),
  };
}

function attemptAt(address: Address): Attempt {
  const isCluster = 'nodes' in address;
  const { protocol, hostname } = new URL(isCluster ? address.nodes[0] : address.url);
  return { isCluster, isSecure: protocol === 'rediss:', master: 'sentinels' in address ? hostname : undefined };
}

function open(packages: Packages, address: Address, ca: string | undefined): Driver {
  if ('nodes' in address) return openCluster(packages, address.nodes, { ...OPTIONS, ...tlsOf(address.nodes[0], ca) });
  if ('sentinels' in address) {
    return withoutStrayTimers(new packages.Redis({ ...OPTIONS, ...sentinelOptions(address, ca) }));
  }
  return withoutStrayTimers(new packages.Redis(address.url, { ...OPTIONS, ...tlsOf(address.url, ca) }));
}

/** What a socket says that is ended in the middle of a handshake, the driver does not listen to. */
function giveUp(redis: Driver): void {
  const socket: unknown = Reflect.get(redis, 'stream');
  redis.disconnect();
  if (socket instanceof Socket) socket.on('error', () => undefined).destroy();
}

const tlsOf = (url: string, ca: string | undefined): RedisOptions =>
  new URL(url).protocol === 'rediss:' ? { tls: ca === undefined ? {} : { ca } } : {};

/** A driver of a cluster looks after the connections to its nodes by itself. */
function openCluster({ Cluster }: Packages, nodes: readonly [string, ...string[]], options: RedisOptions): Driver {
  return clusterWithoutStrayTimers(
    new Cluster(nodesAt(nodes), {
      ...clusterOptions(nodes[0], options),
      // What was in flight when a node was lost may have been done.
      retryDelayOnFailover: 0,
    }),
  );
}

function clusterWithoutStrayTimers(cluster: Cluster): Cluster {
  const duplicate = cluster.duplicate.bind(cluster);
  cluster.duplicate = (...override) => clusterWithoutStrayTimers(duplicate(...override));
  cluster.on('+node', withoutStrayTimers);
  return cluster.on('error', () => undefined);
}

/**
 * When a connection ends while a command waits for its answer, the driver leaves the timer of `socketTimeout` running: it
 * would hold up the end of the process, or break the next connection.
 */
function withoutStrayTimers(redis: Redis): Redis {
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (...override) => withoutStrayTimers(duplicate(...override));
  return redis.on('close', () => {
    clearTimeout(Reflect.get(redis, 'socketTimeoutTimer'));
    Reflect.set(redis, 'socketTimeoutTimer', undefined);
  });
}

/** Without a listener the driver prints its errors. A call that fails rejects anyway. */
const quiet = (redis: Driver): Driver => redis.on('error', () => undefined);

/** Resolves once commands are answered; rejects with what kept them from that. */
function connected(redis: Driver): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // Without a listener the driver prints later errors. A call that fails rejects anyway.
    redis.on('error', (error: Error & { lastNodeError?: Error }) => reject(error.lastNodeError ?? error));
    const timer = setTimeout(() => reject(new Error(TOO_LATE)), COMMAND_MS);
    redis.connect().then(resolve, () => undefined);
    redis.once('close', () => clearTimeout(timer));
    redis.once('ready', () => clearTimeout(timer));
  });
}

/**
 * Nothing that is asked for takes longer than `COMMAND_MS`, so a connection without an answer for so long is dropped. A command in flight
 * when a connection broke is not sent again: Redis may have run it.
 */
const OPTIONS = {
  lazyConnect: true,
  connectTimeout: COMMAND_MS,
  socketTimeout: COMMAND_MS,
  retryStrategy: () => RECONNECT_MS,
  commandTimeout: COMMAND_MS,
  maxRetriesPerRequest: COMMAND_MS / RECONNECT_MS - 1,
  autoResendUnfulfilledCommands: false,
  // The server is no master any more: another one is found behind the same name.
  reconnectOnError: ({ message }) => /^(READONLY|UNBLOCKED)/.test(message),
} satisfies RedisOptions;
