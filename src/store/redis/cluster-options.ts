import type { ClusterOptions, RedisOptions } from 'ioredis';

/** How often a driver that has lost all nodes looks for them, and how often it asks again what must wait, in ms. */
const RETRY_MS = 100;

/** How often it asks which node has which slots, in ms. It is told of a change as well, by the first command that goes astray. */
const REFRESH_MS = 5_000;

/** A script whose keys are being moved is asked for again for so long, as often as `RETRY_MS` says. */
const MOVING_MS = 3_500;

/** What all nodes of a cluster share: those that are found later get it as well. */
export function clusterOptions(url: string, redisOptions: RedisOptions): ClusterOptions {
  const { protocol, username, password } = new URL(url);
  return {
    lazyConnect: true,
    slotsRefreshInterval: REFRESH_MS,
    maxRedirections: MOVING_MS / RETRY_MS,
    retryDelayOnTryAgain: RETRY_MS,
    clusterRetryStrategy: () => RETRY_MS,
    // The names by which the nodes know each other are those in their certificates.
    ...(protocol === 'rediss:' && { dnsLookup: (address, callback) => callback(null, address) }),
    redisOptions: {
      ...redisOptions,
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
    },
  };
}

/** Host and port of each node. */
export const nodesAt = (urls: readonly string[], defaultPort = 6_379): { host: string; port: number }[] =>
  urls.map((url) => {
    const { hostname, port } = new URL(url);
    return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? defaultPort : Number(port) };
  });
