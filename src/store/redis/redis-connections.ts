import { Socket } from 'node:net';
import type { Cluster, Redis, RedisOptions } from 'ioredis';
import { OptionError } from '../../errors.js';
import { RedisFailedError, RedisMissingError } from '../errors.js';
import { clusterOptions, nodesAt } from './cluster-options.js';
import { advised, TOO_LATE } from './connection-advice.js';
import type { Address } from './redis-address.js';
import { type Driver, RedisClient } from './redis-client.js';

/** The optional packages that Redis needs. */
export interface Packages {
  readonly bullmq: typeof import('bullmq');
  readonly Redis: typeof import('ioredis').Redis;
  readonly Cluster: typeof import('ioredis').Cluster;
  /** The slot in which a cluster has the key. */
  slotOf(key: string): number;
}

/** The connections of one process, beside one that each worker waits on. */
export interface Connections {
  /** For calls that wait for an answer. */
  readonly link: RedisClient;
  /** For the workers, which have time. */
  readonly patient: Driver;
  /** For notices, which its connection alone is for. It connects when it is used. */
  readonly listening: Driver;
  /** For waiting for the disk, which holds up its connection. It connects when it is used. */
  readonly waiting: RedisClient;
}

/** How long a command may take, Redis being gone included, in ms. */
const COMMAND_MS = 4_000;

/** How long it takes to notice that a machine is gone without a word, in ms. More than a worker waits for a job. */
const SILENCE_MS = 20_000;

/** How often a connection is tried again, in ms. */
const RECONNECT_MS = 500;

/** @throws RedisMissingError */
export async function loadPackages(): Promise<Packages> {
  try {
    const [bullmq, { Redis, Cluster, Command }] = await Promise.all([import('bullmq'), import('ioredis')]);
    return { bullmq, Redis, Cluster, slotOf: (key) => new Command('get', [key]).getSlot() ?? 0 };
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
  const open = (options: RedisOptions): Driver =>
    'url' in address
      ? withoutStrayTimers(new packages.Redis(address.url, { ...options, ...tlsOf(address.url, ca) }))
      : openCluster(packages, address.nodes, { ...options, ...tlsOf(address.nodes[0], ca) });
  const isSecure = ('url' in address ? address.url : address.nodes[0]).startsWith('rediss:');
  const impatient = open({ ...shared, ...IMPATIENT });
  const patient = open({ ...shared, maxRetriesPerRequest: null });
  try {
    await Promise.all([impatient, patient].map(connected));
  } catch (error) {
    for (const redis of [impatient, patient]) giveUp(redis);
    if (/cluster support disabled/.test(String(error))) {
      throw new OptionError('store', 'cluster', 'nodes of a Redis Cluster', 'a server of its own: give it as `url`');
    }
    throw new RedisFailedError(advised(error, { isSecure, isCluster: 'nodes' in address }));
  }
  return {
    link: new RedisClient(impatient),
    patient,
    listening: quiet(patient.duplicate()),
    waiting: new RedisClient(quiet(impatient.duplicate())),
  };
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
  const isPatient = options.maxRetriesPerRequest === null;
  return clusterWithoutStrayTimers(
    new Cluster(nodesAt(nodes), {
      ...clusterOptions(nodes[0], options),
      // What was in flight when a node was lost may have been done.
      ...(!isPatient && { retryDelayOnFailover: 0 }),
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
 * would hold up the end of the process, or break the next connection. Workers wait on duplicates.
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

const shared = {
  lazyConnect: true,
  connectTimeout: COMMAND_MS,
  socketTimeout: SILENCE_MS,
  retryStrategy: () => RECONNECT_MS,
} satisfies RedisOptions;

/** A command in flight when the connection broke is not sent again: Redis may have run it. */
const IMPATIENT = {
  commandTimeout: COMMAND_MS,
  maxRetriesPerRequest: COMMAND_MS / RECONNECT_MS - 1,
  autoResendUnfulfilledCommands: false,
} satisfies RedisOptions;
