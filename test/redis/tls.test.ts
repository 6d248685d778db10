import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/service/config/load-config.js';
import { openStorage } from '../../src/service/open-storage.js';
import { redisStorage } from '../../src/store/redis/redis-storage.js';
import type { RedisStorageOptions } from '../../src/store/redis/redis-storage-options.js';
import { newFolder } from '../cli/files.js';
import { recordingLog } from '../service/recording-log.js';
import { type Authority, type Certificate, createAuthority } from '../support/certificates.js';
import { freePort } from '../support/free-port.js';
import { startRedis } from './storage.js';

let authority: Authority;
let other: Authority;
let certificate: Certificate;
let removeFiles: (() => void)[];

/** The permissions that the user of the service needs, and no others. */
const USER = 'eventferry on >sesame ~{shop* &{shop}:notices +@all -@admin -@dangerous +info +config|get';

beforeAll(() => {
  removeFiles = [];
  [authority, other] = [
    createAuthority((act) => removeFiles.push(act)),
    createAuthority((act) => removeFiles.push(act)),
  ];
  certificate = authority.sign('IP:127.0.0.1');
});

afterAll(() => {
  for (const remove of removeFiles) remove();
});

/** Starts a server that uses TLS on a port of its own and has a user. */
async function startSecured() {
  const port = await freePort();
  const server = await startRedis({
    'tls-port': String(port),
    'tls-cert-file': certificate.file,
    'tls-key-file': certificate.keyFile,
    'tls-ca-cert-file': authority.file,
    'tls-auth-clients': 'no',
  });
  await server.look((redis) => redis.call('ACL', 'SETUSER', ...USER.split(' ')));
  return { plain: server.port, port };
}

const failure = (options: RedisStorageOptions): Promise<unknown> =>
  redisStorage({ prefix: 'shop', onWarning: () => undefined, ...options }).then(
    (storage) => storage.close(),
    (error: unknown) => error,
  );

test('a service stores its events in a Redis with TLS, as a user with access only to its keys', async () => {
  const { port } = await startSecured();
  const path = await newFolder();
  writeFileSync(join(path, 'ca.pem'), authority.cert);
  const file = join(path, 'eventferry.yaml');
  writeFileSync(
    file,
    `store: { type: redis, url: 'rediss://eventferry:sesame@127.0.0.1:${port}', ca: '\${file:ca.pem}', prefix: shop }
sources: [{ name: web, writeKeys: [k1] }]
`,
  );
  const log = recordingLog();
  const storage = await openStorage((await loadConfig(file)).store, log);
  onTestFinished(() => storage.close());
  const store = await storage.deliveries('orders');
  expect(await storage.takeIn('web', [{ id: 'm1', body: Buffer.of(), deliveries: [] }], 0)).toEqual([[]]);
  await storage.keyValues.write([{ key: 'a/1', value: 'x' }]);
  await storage.check();
  expect(await store.backlog()).toEqual([]);
  expect(log.lines).toEqual([]);
  expect(inspect(storage, { depth: 9, showHidden: true })).not.toContain('sesame');
});

test('a connection to Redis that cannot be made causes an error with advice and without the password', async () => {
  const { plain, port } = await startSecured();
  const ca = authority.cert;
  const at = (scheme: string, portThere: number, password = 'sesame') =>
    `${scheme}://eventferry:${password}@127.0.0.1:${portThere}`;
  const failures: [RedisStorageOptions, string][] = [
    [{ url: at('rediss', port, 'swordfish'), ca }, 'check the user and the password in the URL'],
    [{ url: at('redis', plain, 'swordfish') }, 'check the user and the password in the URL'],
    [{ url: at('rediss', port) }, 'give that of its authority as `ca`'],
    [{ url: at('rediss', port), ca: other.cert }, 'give that of its authority as `ca`'],
    [{ url: at('rediss', plain), ca }, 'the port does not speak TLS: use redis:// or another port'],
    [{ url: at('redis', port) }, 'if the port speaks TLS, use rediss://'],
  ];
  for (const [options, advice] of failures) {
    const error = await failure(options);
    expect(error).toMatchObject({ code: 'EVENTFERRY_STORE_REDIS_FAILED' });
    expect(String(error)).toContain(advice);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/sesame|swordfish/);
  }
});

test('a missing password causes an error that says the server needs one', async () => {
  const server = await startRedis({ requirepass: 'sesame' });
  expect(String(await failure({ url: server.url }))).toContain('the server wants a user and a password');
});
