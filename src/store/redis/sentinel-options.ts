import type { RedisOptions } from 'ioredis';
import { nodesAt } from './cluster-options.js';
import type { SentinelAddress } from './redis-address.js';

/** How long one sentinel may take to name the master before the next is asked, in ms. */
const ASK_MS = 1_000;

/** The pause before all sentinels are asked again if none has named a master, in ms. */
const RETRY_MS = 100;

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

const SENTINEL_PORT = 26_379;

const given = <K extends string>(name: K, value: string): { [name in K]?: string } =>
  value === '' ? {} : ({ [name]: value } as { [name in K]: string });

function partsOf(url: string) {
  const { protocol, hostname, username, password, pathname } = new URL(url);
  const [host, user, secret] = [hostname, username, password].map(decodeURIComponent) as [string, string, string];
  return { protocol, host, username: user, password: secret, pathname };
}
