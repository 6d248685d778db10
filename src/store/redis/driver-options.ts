import type { ClusterOptions, RedisOptions } from 'ioredis';
import type { SentinelAddress } from './redis-address.js';

/** How long one sentinel may take to name the master before the next is asked, in ms. */
const ASK_MS = 1_000;

/** The pause before the sentinels or nodes are asked again if none has answered, in ms. A cluster also repeats a waiting command after it. */
const RETRY_MS = 100;

/** How often the driver asks which node has which slots, in ms. It also learns of a change from the first redirected command. */
const REFRESH_MS = 5_000;

/** How long a script is repeated, every `RETRY_MS`, while its keys move to another node, in ms. */
const MOVING_MS = 3_500;

/**
 * Returns options to connect to the master, whose address the sentinels provide for each connection. Sentinel closes the
 * connections of a demoted master, and the driver leaves a server that is not the master, so no connection stays with a former
 * master.
 */
export function sentinelOptions({ url, sentinels }: SentinelAddress, ca: string | undefined): RedisOptions {
  const { protocol, pathname, ...server } = partsOf(url);
  const sentinel = partsOf(sentinels[0]);
  const tls = ca === undefined ? {} : { ca };
  return {
    name: server.host,
    role: 'master',
    sentinels: nodesAt(sentinels, SENTINEL_PORT),
    sentinelCommandTimeout: ASK_MS,
    sentinelRetryStrategy: () => RETRY_MS,
    db: Number(pathname.slice(1)),
    ...given('username', server.username),
    ...given('password', server.password),
    ...given('sentinelUsername', sentinel.username),
    ...given('sentinelPassword', sentinel.password),
    ...(protocol === 'rediss:' && { tls, enableTLSForSentinelMode: true }),
    ...(sentinel.protocol === 'rediss:' && { sentinelTLS: tls }),
  };
}

/** Options for every node of a cluster, including nodes that are found later. */
export function clusterOptions(url: string, redisOptions: RedisOptions): ClusterOptions {
  const { protocol, username, password } = partsOf(url);
  return {
    lazyConnect: true,
    slotsRefreshInterval: REFRESH_MS,
    maxRedirections: MOVING_MS / RETRY_MS,
    retryDelayOnTryAgain: RETRY_MS,
    clusterRetryStrategy: () => RETRY_MS,
    // A command that was in flight when its node was lost may have run, so it is not repeated.
    retryDelayOnFailover: 0,
    // Certificates are issued for the names by which the nodes know each other, so the names must not be resolved.
    ...(protocol === 'rediss:' && { dnsLookup: (address, callback) => callback(null, address) }),
    redisOptions: { ...redisOptions, ...given('username', username), ...given('password', password) },
  };
}

/** The host and port of each node. */
export const nodesAt = (urls: readonly string[], defaultPort = 6_379): { host: string; port: number }[] =>
  urls.map((url) => {
    const { hostname, port } = new URL(url);
    return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? defaultPort : Number(port) };
  });

const SENTINEL_PORT = 26_379;

const given = <K extends string>(name: K, value: string): { [name in K]?: string } =>
  value === '' ? {} : ({ [name]: value } as { [name in K]: string });

function partsOf(url: string) {
  const { protocol, hostname, username, password, pathname } = new URL(url);
  const [host, user, secret] = [hostname, username, password].map(decodeURIComponent) as [string, string, string];
  return { protocol, host, username: user, password: secret, pathname };
}
