import { OptionError } from '../../base/errors/errors.js';
import { RedisTooOldError, RedisUnfitError } from '../store-errors.js';
import type { Durability } from './kept-wait.js';
import { isCluster, type RedisClient } from './redis-client.js';

/** The oldest version that has all commands we use. */
const LEAST_VERSION = [6, 2] as const;

/** The first version with WAITAOF. */
const LEAST_TO_WAIT = [7, 2] as const;

type Version = readonly [major: number, minor: number];

/**
 * Checks that every server keeps what it confirms.
 *
 * @returns warnings for the operator
 * @throws RedisTooOldError, RedisUnfitError
 * @throws OptionError if the server is a node of a cluster but was given as a single server
 */
export async function checkFitness(link: RedisClient, durability: Durability): Promise<string[]> {
  const isSingle = !isCluster(link.redis);
  const warnings = await Promise.all(link.masters.map((master) => checkServer(master, durability, isSingle)));
  return [...new Set(warnings.flat())];
}

async function checkServer(link: RedisClient, durability: Durability, isSingle: boolean): Promise<string[]> {
  const info = await link.ask((redis) => redis.info());
  if (isSingle && valueIn(info, 'cluster_enabled') === '1') {
    throw new OptionError('store', 'url', 'one server of its own', 'a node of a Redis Cluster: give it in `cluster`');
  }
  const version = valueIn(info, 'redis_version') ?? 'of an unknown number';
  assertVersion('Storage on Redis', LEAST_VERSION, version);
  if (durability.disk) assertVersion('`waitForDisk`', LEAST_TO_WAIT, version);
  const problem = problemIn(info, durability);
  if (problem !== undefined) throw problem;
  const fsync = await link
    .ask((redis) => redis.config('GET', 'appendfsync'))
    .then((answer) => String((answer as unknown[])[1]))
    .catch(() => undefined);
  const isKept = fsync === 'always' || (durability.disk && fsync !== 'no') || durability.replicas > 0;
  return isKept ? [] : [warningAbout(fsync)];
}

/**
 * Returns why a server would lose what it confirms, judged by the sections `memory` and `persistence` of its INFO. Replicas that
 * are waited for make up for a missing append-only file.
 */
export function problemIn(info: string, { replicas }: Pick<Durability, 'replicas'>): RedisUnfitError | undefined {
  const policy = valueIn(info, 'maxmemory_policy') ?? 'something else';
  if (policy !== 'noeviction') return new RedisUnfitError('maxmemory-policy', 'noeviction', policy);
  if (replicas === 0 && valueIn(info, 'aof_enabled') !== '1') return new RedisUnfitError('appendonly', 'yes', 'no');
  return undefined;
}

/**
 * Returns an error while the server has too few replicas to confirm anything, judged by the section `replication` of its INFO.
 */
export function missingReplicas(info: string, { replicas }: Pick<Durability, 'replicas'>): RedisUnfitError | undefined {
  const connected = valueIn(info, 'connected_slaves') ?? '0';
  if (Number(connected) >= replicas) return undefined;
  return new RedisUnfitError('connected_slaves', String(replicas), connected);
}

/** The value of a line `name:value`. */
export const valueIn = (info: string, name: string): string | undefined =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];

/** @throws RedisTooOldError, also if the version cannot be read */
function assertVersion(what: string, [leastMajor, leastMinor]: Version, version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new RedisTooOldError(what, `${leastMajor}.${leastMinor}`, version);
}

const warningAbout = (fsync: string | undefined): string =>
  fsync === undefined
    ? 'Redis does not tell its `appendfsync`; only with `always` does what was accepted survive the end of Redis or its machine'
    : `Redis has \`appendfsync ${fsync}\`: when it is killed or its machine loses power, what was accepted last may be lost; \`always\` keeps it`;
