import { OptionError } from '../../base/errors/errors.js';

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

export interface AddressOptions {
  readonly url?: string | undefined;
  readonly sentinels?: readonly string[] | undefined;
  readonly cluster?: readonly string[] | undefined;
  readonly partitions?: number | undefined;
}

/**
 * @param options have been checked, each by itself
 * @throws OptionError which does not show the URL, because it may contain a password
 */
export function addressOf(options: AddressOptions): RedisAddress {
  const broken = ADDRESS_RULES.find(({ holds }) => !holds(options));
  if (broken !== undefined) throw new OptionError('store', broken.option, broken.expected, 'something else');
  // All rules hold at this point. So the lists are not empty, and without a cluster there is a URL.
  const { url, sentinels, cluster } = options as { url: string; sentinels?: Urls; cluster?: Urls };
  if (cluster !== undefined) return { nodes: cluster };
  return sentinels === undefined ? { url } : { url, sentinels };
}

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
export function isUrl(url: unknown): url is string {
  if (typeof url !== 'string' || !REDIS_SCHEME.test(url) || !URL.canParse(url)) return false;
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
export const isNode = (url: unknown): url is string =>
  isUrl(url) && new URL(url).search === '' && Number(databaseIn(url)) === 0;

/** Returns true if all URLs have the same access. Other rules refuse URLs that cannot be read. */
const shareAccess = (urls: readonly string[] = []): boolean =>
  !urls.every(isNode) || new Set(urls.map(accessOf)).size < 2;

/** The parts of a URL that must be the same for all nodes. */
function accessOf(url: string): string {
  const { protocol, username, password } = new URL(url);
  return JSON.stringify([protocol, username, password]);
}

/** Returns true if the URL has a name and no port, because the sentinels provide the port. */
function namesMaster(url: string): boolean {
  if (!isUrl(url)) return true;
  const { hostname, port } = new URL(url);
  return hostname !== '' && port === '';
}

const SHARED_ACCESS = 'URLs that all have the same user and password, and either redis:// or rediss://';

/** The rules for combinations of the options for an address. Each option also has a rule of its own. */
export const ADDRESS_RULES: readonly {
  readonly option: keyof AddressOptions;
  readonly expected: string;
  holds(options: AddressOptions): boolean;
}[] = [
  {
    option: 'cluster',
    expected: 'nothing beside `url`',
    holds: ({ url, cluster }) => url === undefined || cluster === undefined,
  },
  {
    option: 'sentinels',
    expected: 'nothing beside `cluster`',
    holds: ({ sentinels, cluster }) => sentinels === undefined || cluster === undefined,
  },
  {
    option: 'partitions',
    expected: 'nothing without `cluster`: one server has one partition',
    holds: ({ partitions, cluster }) => partitions === undefined || cluster !== undefined,
  },
  { option: 'url', expected: EXPECTED_URL, holds: ({ url, cluster }) => (url ?? cluster) !== undefined },
  {
    option: 'url',
    expected:
      'redis:// or rediss:// with the name of the master that the sentinels watch in place of the host, and without a port',
    holds: ({ url, sentinels }) => url === undefined || sentinels === undefined || namesMaster(url),
  },
  { option: 'cluster', expected: SHARED_ACCESS, holds: ({ cluster }) => shareAccess(cluster) },
  { option: 'sentinels', expected: SHARED_ACCESS, holds: ({ sentinels }) => shareAccess(sentinels) },
];
