import { authorities } from '../../base/options/authorities.js';
import { callback, flag, integer, type Rule, type Rules, text } from '../../base/options/check-options.js';
import { MOST_PARTITIONS } from './partitions.js';
import { EXPECTED_URL, isNode, isUrl } from './redis-address.js';

export interface RedisStorageOptions {
  /** The URL of a single server: `redis://` or `rediss://`, with user and password if it needs them. */
  url?: string | undefined;
  /**
   * URLs of Redis Sentinels. The storage then uses the master that they name: give its name in place of the host in
   * `url`, as in `redis://user:password@mymaster`. All sentinels must accept the same user and password, which may
   * differ from those of the server.
   */
  sentinels?: readonly string[] | undefined;
  /** URLs of some nodes of a Redis Cluster, in place of `url`; they name the other nodes. All must accept the same user and password. */
  cluster?: readonly string[] | undefined;
  /**
   * The number of partitions in a cluster: at least as many as it will ever have masters. It cannot change once the
   * storage exists. @default 16
   */
  partitions?: number | undefined;
  /**
   * With `rediss://`, the certificate, in PEM, of the authority that signed the servers' certificates. @default the
   * authorities that Node.js trusts
   */
  ca?: string | undefined;
  /** The prefix of every key, so that several services can share a server. @default 'eventferry' */
  prefix?: string | undefined;
  /**
   * Accepts messages only when the server has written them to its disk, with WAITAOF. Use it with `appendfsync
   * everysec`; it needs version 7.2 or later and adds up to about a second. @default false
   */
  waitForDisk?: boolean | undefined;
  /**
   * Accepts messages only when this many replicas of their server have them, with WAIT. If this is the number of replicas that
   * each master has, losing any master loses no accepted message. @default 0
   */
  waitForReplicas?: number | undefined;
  /** Called once when the state of Redis needs attention, and once when it is fine again. @default emits a process warning */
  onWarning?: ((text: string) => void) | undefined;
}

const urls: Rule = {
  expected: 'URLs of one or more servers, redis:// or rediss://, without a database or parameters',
  holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isNode),
  isSecret: true,
};

export const REDIS_RULES: Rules<RedisStorageOptions> = {
  url: { expected: EXPECTED_URL, holds: isUrl, isSecret: true },
  sentinels: urls,
  cluster: urls,
  partitions: integer(1, MOST_PARTITIONS),
  ca: authorities,
  prefix: text,
  waitForDisk: flag,
  waitForReplicas: integer(0),
  onWarning: callback,
};
