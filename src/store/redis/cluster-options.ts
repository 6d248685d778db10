import type { ClusterOptions, RedisOptions } from 'ioredis';

/** How often the driver looks for a node when it has none, in ms. It also repeats a command that has to wait this often. */
const RETRY_MS = 100;

/** How often the driver asks which node has which slots, in ms. It also learns of a change from the first redirected command. */
const REFRESH_MS = 5_000;

/** How long a script is repeated, every `RETRY_MS`, while its keys move to another node, in ms. */
const MOVING_MS = 3_500;

/** Options for every node of a cluster, also for nodes that are found later. */
export function clusterOptions(url: string, redisOptions: RedisOptions): ClusterOptions {
  const { protocol, username, password } = new URL(url);
  return {
    lazyConnect: true,
    slotsRefreshInterval: REFRESH_MS,
    maxRedirections: MOVING_MS / RETRY_MS,
    retryDelayOnTryAgain: RETRY_MS,
    clusterRetryStrategy: () => RETRY_MS,
    // Certificates are issued for the names by which the nodes know each other, so the names must not be resolved.
    ...(protocol === 'rediss:' && { dnsLookup: (address, callback) => callback(null, address) }),
    redisOptions: {
      ...redisOptions,
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
    },
  };
}

/** The host and port of each node. */
export const nodesAt = (urls: readonly string[], defaultPort = 6_379): { host: string; port: number }[] =>
  urls.map((url) => {
    const { hostname, port } = new URL(url);
    return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? defaultPort : Number(port) };
  });
