import { RedisTooOldError, RedisUnfitError } from '../errors.js';
import type { RedisClient } from './redis-client.js';

/** The oldest version whose commands are enough. */
const LEAST_VERSION = [6, 2] as const;

/** The first one with WAITAOF. */
const LEAST_TO_WAIT = [7, 2] as const;

type Version = readonly [major: number, minor: number];

/**
 * Whether the server keeps what it confirms.
 *
 * @returns warnings for the operator.
 * @throws RedisTooOldError, RedisUnfitError
 */
export async function checkFitness(link: RedisClient, waitsForDisk: boolean): Promise<string[]> {
  const info = await link.ask((redis) => redis.info());
  const version = valueIn(info, 'redis_version') ?? 'of an unknown number';
  assertVersion('Storage on Redis', LEAST_VERSION, version);
  if (waitsForDisk) assertVersion('`waitForDisk`', LEAST_TO_WAIT, version);
  const problem = problemIn(info);
  if (problem !== undefined) throw problem;
  const fsync = await link
    .ask((redis) => redis.config('GET', 'appendfsync'))
    .then((answer) => String((answer as unknown[])[1]))
    .catch(() => undefined);
  const isKept = fsync === 'always' || (waitsForDisk && fsync !== 'no');
  return isKept ? [] : [warningAbout(fsync)];
}

/** Why a server would lose what it confirms, by the sections `memory` and `persistence` of its INFO. */
export function problemIn(info: string): RedisUnfitError | undefined {
  const policy = valueIn(info, 'maxmemory_policy') ?? 'something else';
  if (policy !== 'noeviction') return new RedisUnfitError('maxmemory-policy', 'noeviction', policy);
  if (valueIn(info, 'aof_enabled') !== '1') return new RedisUnfitError('appendonly', 'yes', 'no');
  return undefined;
}

/** The value of a line `name:value`. */
export const valueIn = (info: string, name: string): string | undefined =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];

/** @throws RedisTooOldError, also where the version is none. */
function assertVersion(what: string, [leastMajor, leastMinor]: Version, version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new RedisTooOldError(what, `${leastMajor}.${leastMinor}`, version);
}

const warningAbout = (fsync: string | undefined): string =>
  fsync === undefined
    ? 'Redis does not tell its `appendfsync`; only with `always` does what was accepted survive the end of Redis or its machine'
    : `Redis has \`appendfsync ${fsync}\`: when it is killed or its machine loses power, what was accepted last may be lost; \`always\` keeps it`;
