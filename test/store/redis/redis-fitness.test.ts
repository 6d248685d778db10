import { expect, onTestFinished, test } from 'vitest';
import { redisStorage } from '../../../src/store/redis/redis-storage.js';
import { startFakeRedis } from './fake-redis.js';

/** Starts a fake server that answers INFO, CONFIG GET and the request for the stored format, and OK to everything else. */
function startFit(info: Readonly<Record<string, string>>, appendfsync: string): Promise<string> {
  const text = Object.entries({ loading: '0', maxmemory_policy: 'noeviction', aof_enabled: '1', ...info })
    .map(([name, value]) => `${name}:${value}\r\n`)
    .join('');
  return startFakeRedis((name, answer) => {
    if (name === 'info') answer(`$${text.length}\r\n${text}\r\n`);
    else if (name === 'config') answer(`*2\r\n$11\r\nappendfsync\r\n$${appendfsync.length}\r\n${appendfsync}\r\n`);
    else if (name === 'get') answer('$1\r\n2\r\n');
    else answer('+OK\r\n');
  });
}

/** Returns whether the storage could be opened, with its warnings. */
async function opened(
  info: Readonly<Record<string, string>>,
  {
    appendfsync = 'always',
    ...options
  }: { appendfsync?: string; waitForDisk?: boolean; waitForReplicas?: number } = {},
): Promise<string> {
  const url = await startFit(info, appendfsync);
  const warnings: string[] = [];
  try {
    const storage = await redisStorage({ url, ...options, onWarning: (text) => warnings.push(text) });
    onTestFinished(() => storage.close());
    return ['opened', ...warnings].join(': ');
  } catch (error) {
    const { name, code, message } = error as Error & { code: string };
    return `${name} ${code}: ${message}`;
  }
}

test.each(['2.8.19', '5.0.14', '6.0.16', 'none'])('Redis %s is refused with one clear error', async (version) => {
  expect(await opened({ redis_version: version })).toBe(
    `RedisTooOldError EVENTFERRY_STORE_REDIS_TOO_OLD: Storage on Redis needs a server of version 6.2 or later; this one is ${version}`,
  );
});

test.each(['6.2.0', '6.10.1', '7.0.15', '8.2.1', '10.0.0'])('Redis %s is accepted', async (version) => {
  expect(await opened({ redis_version: version })).toBe('opened');
});

test('Valkey is judged by the version of Redis with which it is compatible', async () => {
  expect(await opened({ redis_version: '7.2.4', server_name: 'valkey', valkey_version: '8.0.1' })).toBe('opened');
});

test('a server that is too old is refused for that, and not for its settings', async () => {
  expect(await opened({ redis_version: '5.0.0', maxmemory_policy: 'allkeys-lru' })).toMatch(/^RedisTooOldError/);
});

test('a server without WAITAOF is refused if `waitForDisk` is set', async () => {
  expect(await opened({ redis_version: '7.0.15' }, { waitForDisk: true })).toBe(
    'RedisTooOldError EVENTFERRY_STORE_REDIS_TOO_OLD: `waitForDisk` needs a server of version 7.2 or later; this one is 7.0.15',
  );
});

test.each([
  ['everysec', false, /may be lost/],
  ['everysec', true, /^opened$/],
  ['always', false, /^opened$/],
  ['no', true, /may be lost/],
])(
  'with appendfsync %s and waitForDisk %s, a warning appears only if data may be lost',
  async (appendfsync, waitForDisk, said) => {
    expect(await opened({ redis_version: '7.2.0' }, { appendfsync, waitForDisk })).toMatch(said);
  },
);

test('a server without an append-only file is accepted only if `waitForReplicas` is set', async () => {
  const info = { redis_version: '7.2.0', aof_enabled: '0', connected_slaves: '1' };
  expect(await opened(info)).toMatch(/^RedisUnfitError .*`appendonly yes`/);
  expect(await opened(info, { waitForReplicas: 1 })).toBe('opened');
});
