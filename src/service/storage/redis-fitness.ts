import { RedisTooOldError, RedisUnfitError } from '../../destination/bullmq/errors.js';
import type { RedisLink } from '../../destination/bullmq/redis-link.js';

/** The oldest version whose commands are enough. */
const LEAST_VERSION = [6, 2] as const;

/**
 * Whether the server keeps what it confirms.
 *
 * @returns what whoever runs it should know.
 * @throws RedisTooOldError, RedisUnfitError
 */
export async function checkFitness(link: RedisLink): Promise<string[]> {
  const info = await link.ask((redis) => redis.info());
  const version = valueIn(info, 'redis_version') ?? 'of an unknown number';
  if (isTooOld(version)) throw new RedisTooOldError(LEAST_VERSION.join('.'), version);
  const problem = problemIn(info);
  if (problem !== undefined) throw problem;
  const fsync = await link
    .ask((redis) => redis.config('GET', 'appendfsync'))
    .then((answer) => String((answer as unknown[])[1]))
    .catch(() => undefined);
  return fsync === 'always' ? [] : [warningAbout(fsync)];
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

/** What is no version is not one of Redis. */
function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = LEAST_VERSION;
  return !(major > leastMajor || (major === leastMajor && minor >= leastMinor));
}

const warningAbout = (fsync: string | undefined): string =>
  fsync === undefined
    ? 'Redis does not tell its `appendfsync`; only with `always` does what was accepted survive its machine losing power'
    : `Redis has \`appendfsync ${fsync}\`: when its machine loses power, what was accepted last may be lost; \`always\` keeps it`;
