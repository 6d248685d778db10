import { OptionError } from '../../base/errors/errors.js';
import { MOST_PARTITIONS } from './partitions.js';

/** The address of Redis: one server, the master that sentinels name, or some nodes of a cluster. */
export type RedisAddress = ServerAddress | SentinelAddress | ClusterAddress;

export interface ServerAddress {
  readonly url: string;
}

export interface SentinelAddress {
  /** Its host is the name under which the sentinels watch the master. */
  readonly url: string;
  readonly sentinels: Urls;
}

export interface ClusterAddress {
  readonly nodes: Urls;
}

type Urls = readonly [string, ...string[]];

interface AddressOptions {
  readonly url?: string | undefined;
  readonly sentinels?: readonly string[] | undefined;
  readonly cluster?: readonly string[] | undefined;
  readonly partitions?: number | undefined;
}

/** @throws OptionError which does not show the URL, because it may contain a password */
export function addressOf({ url, sentinels, cluster, partitions }: AddressOptions): RedisAddress {
  if (cluster === undefined) return withoutCluster(url, sentinels, partitions);
  if (url !== undefined) throw new OptionError('store', 'cluster', 'nothing where `url` is given', 'both');
  if (sentinels !== undefined) throw new OptionError('store', 'cluster', 'nothing where `sentinels` is given', 'both');
  if (partitions !== undefined && !isCount(partitions)) {
    throw new OptionError('store', 'partitions', `an integer from 1 to ${MOST_PARTITIONS}`, String(partitions));
  }
  return { nodes: urlsIn('cluster', 'nodes', cluster) };
}

/** Accepts one or more URLs that share one user and password. */
function urlsIn(option: 'cluster' | 'sentinels', what: string, urls: readonly string[]): Urls {
  const [first, ...others] = urls;
  if (isNode(first) && others.every((url) => isNode(url) && accessOf(url) === accessOf(first)))
    return [first, ...others];
  const expected = `URLs of one or more ${what}, redis:// or rediss://, all with the same user and password`;
  throw new OptionError('store', option, expected, 'something else');
}

function withoutCluster(
  url: string | undefined,
  sentinels: readonly string[] | undefined,
  partitions: number | undefined,
): ServerAddress | SentinelAddress {
  if (partitions !== undefined) {
    const expected = 'nothing without `cluster`: one server has one partition';
    throw new OptionError('store', 'partitions', expected, String(partitions));
  }
  if (!isUrl(url)) {
    throw new OptionError('store', 'url', EXPECTED_URL, 'something else');
  }
  if (sentinels === undefined) return { url };
  if (!namesMaster(url)) throw new OptionError('store', 'url', NAME_OF_MASTER, 'a URL with a port, or without a name');
  return { url, sentinels: urlsIn('sentinels', 'sentinels', sentinels) };
}

/** The form of `url` that `sentinels` requires. */
export const NAME_OF_MASTER =
  'redis:// or rediss:// with the name of the master that the sentinels watch in place of the host, and without a port';

/** Returns true if the URL has a name and no port, because the sentinels provide the port. */
export function namesMaster(url: string): boolean {
  const { hostname, port } = new URL(url);
  return hostname !== '' && port === '';
}

const isCount = (partitions: number): boolean =>
  Number.isInteger(partitions) && partitions >= 1 && partitions <= MOST_PARTITIONS;

/** The required beginning of a URL, in lower case: ioredis would not use TLS for `REDISS://`. */
export const REDIS_SCHEME = /^rediss?:\/\/./;

/**
 * The parameters that a URL may have. Others are refused, because ioredis takes all its options from a URL, unchecked and with
 * precedence over those in the code: `?keyPrefix=x` would move every key, and `?lazyConnect=false` counts as true.
 */
const PARAMETERS = new Map([
  ['db', /^\d+$/],
  ['family', /^[046]$/],
  ['connectTimeout', /^[1-9]\d{0,5}$/],
  ['path', /^\//],
]);

export const EXPECTED_URL = `a URL of a Redis server, redis:// or rediss://, with no path but the number of a database and no parameters but ${[...PARAMETERS.keys()].join(', ')}`;

/** Returns true for a URL that ioredis accepts and neither misreads nor ignores in part. */
export function isUrl(url: string | undefined): url is string {
  if (url === undefined || !REDIS_SCHEME.test(url) || !URL.canParse(url)) return false;
  const { username, password, port, searchParams, hash } = new URL(url);
  const areKnown = [...searchParams].every(([name, value]) => PARAMETERS.get(name)?.test(value) === true);
  return (
    areKnown &&
    hash === '' &&
    /^\d*$/.test(databaseIn(url)) &&
    port !== '0' &&
    isDecodable(username) &&
    isDecodable(password)
  );
}

/** Returns the database of a URL. Its path has precedence over its parameter. */
function databaseIn(url: string): string {
  const { pathname, searchParams } = new URL(url);
  return pathname.slice(1) || (searchParams.get('db') ?? '');
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns true for the URL of a node or sentinel, which has no database, and whose parameters ioredis does not read. */
export const isNode = (url: string | undefined): url is string =>
  isUrl(url) && new URL(url).search === '' && Number(databaseIn(url)) === 0;

/** The parts of a URL that must be the same for all nodes. */
function accessOf(url: string): string {
  const { protocol, username, password } = new URL(url);
  return JSON.stringify([protocol, username, password]);
}
