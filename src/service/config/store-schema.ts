import * as z from 'zod/mini';
import { authorities } from '../../base/options/authorities.js';
import {
  flag,
  integer,
  list,
  object,
  optional,
  required,
  text,
  withDefault,
} from '../../base/options/schema-fields.js';
import { MOST_PARTITIONS, PARTITIONS } from '../../store/redis/partitions.js';
import {
  ADDRESS_RULES,
  type AddressOptions,
  EXPECTED_URL,
  isNode,
  isUrl,
  REDIS_SCHEME,
} from '../../store/redis/redis-address.js';

const redisUrl = () => text(EXPECTED_URL, REDIS_SCHEME).check(z.refine(isUrl, { error: EXPECTED_URL }));
const nodeUrl = () => redisUrl().check(z.refine(isNode, { error: 'a URL without a database or parameters' }));

const CERTIFICATE = 'a certificate in PEM';

/** The schema of `store`. */
export const storeSchema = z.discriminatedUnion(
  'type',
  [
    object({
      // It is optional, because the union cannot apply a default to its discriminator.
      type: optional(z.literal('lmdb'), 'On the disk of one machine.', { default: 'lmdb' }),
      path: withDefault(text('a folder', /^[^\0]+$/), 'data', 'A folder, relative to this file.'),
      lockTimeout: optional(
        integer(0, 3_600_000),
        'How long to wait at the start for another process that has the folder open, in milliseconds.',
        { default: 20_000 },
      ),
    }),
    object({
      type: required(z.literal('redis'), 'On a Redis or Valkey server, or a cluster of them, for several machines.'),
      url: optional(
        redisUrl(),
        'Where the server is: `redis://` or `rediss://`. Its password belongs in the environment. Left out for a cluster.',
      ),
      sentinels: optional(
        list(nodeUrl(), 1),
        'URLs of Redis Sentinels. The server is then the master that they name, and `url` has the name under which they watch it in place of the host: `redis://mymaster`.',
      ),
      cluster: optional(
        list(nodeUrl(), 1),
        'Some nodes of a Redis Cluster, in place of `url`; the service finds the others. All have the same user and password.',
      ),
      partitions: optional(
        integer(1, MOST_PARTITIONS),
        'In a cluster, the number of partitions: at least as many as there will ever be masters. It cannot be changed later.',
        { default: PARTITIONS },
      ),
      ca: optional(
        text(CERTIFICATE, /-----BEGIN CERTIFICATE-----/).check(z.refine(authorities.holds, { error: CERTIFICATE })),
        "With `rediss://`, the certificate of the authority that has signed the servers', in PEM: `${file:/run/secrets/redis-ca.pem}`. Without it, those that Node.js trusts.",
      ),
      prefix: withDefault(
        text('1 to 100 letters, digits and any of . _ - : { }', /^[A-Za-z0-9._:{}-]{1,100}$/),
        'eventferry',
        'Begins every key, so that several services can share a server.',
      ),
      waitForDisk: optional(
        flag(),
        'Answer clients once the server has their messages on its disk, with WAITAOF: for `appendfsync everysec`, Redis 7.2 or later.',
        { default: false },
      ),
      waitForReplicas: optional(
        integer(0, 10),
        'Answer clients once so many replicas have their messages, with WAIT. If you give as many as each master has, the loss of a master loses no messages.',
        { default: 0 },
      ),
    }).check(
      ...ADDRESS_RULES.map(({ option, expected, holds }) =>
        z.refine<AddressOptions>(holds, { path: [option], error: expected }),
      ),
    ),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? "'lmdb' or 'redis'" : 'an object') },
);
