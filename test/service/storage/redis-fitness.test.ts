import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { redisStorage } from '../../../src/service/storage/redis-storage.js';

/** A server that knows INFO and CONFIG GET, and says OK to everything else. */
async function startFake(info: Readonly<Record<string, string>>): Promise<string> {
  const text = Object.entries({ loading: '0', maxmemory_policy: 'noeviction', aof_enabled: '1', ...info })
    .map(([name, value]) => `${name}:${value}\r\n`)
    .join('');
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      // Commands come as arrays of bulk strings, and a fake need not care where one is cut.
      for (const [, name] of chunk.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
        if (name?.toLowerCase() === 'info') socket.write(`$${text.length}\r\n${text}\r\n`);
        else if (name?.toLowerCase() === 'config') socket.write('*2\r\n$11\r\nappendfsync\r\n$6\r\nalways\r\n');
        else socket.write('+OK\r\n');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function opened(info: Readonly<Record<string, string>>): Promise<string> {
  const url = await startFake(info);
  const warnings: string[] = [];
  try {
    const storage = await redisStorage({ url, onWarning: (text) => warnings.push(text) });
    onTestFinished(() => storage.close());
    return 'opened';
  } catch (error) {
    const { name, code, message } = error as Error & { code: string };
    return `${name} ${code}: ${message}`;
  }
}

test.each(['2.8.19', '5.0.14', '6.0.16', 'none'])('Redis %s is refused with one clear error', async (version) => {
  expect(await opened({ redis_version: version })).toBe(
    `RedisTooOldError STORAGE_REDIS_TOO_OLD: Storage on Redis needs a server of version 6.2 or later; this one is ${version}`,
  );
});

test.each(['6.2.0', '6.10.1', '7.0.15', '8.2.1', '10.0.0'])('Redis %s is taken', async (version) => {
  expect(await opened({ redis_version: version })).toBe('opened');
});

test('Valkey is known by the version of Redis that it stands in for', async () => {
  expect(await opened({ redis_version: '7.2.4', server_name: 'valkey', valkey_version: '8.0.1' })).toBe('opened');
});

test('a server that is too old is not told of its settings', async () => {
  expect(await opened({ redis_version: '5.0.0', maxmemory_policy: 'allkeys-lru' })).toMatch(/^RedisTooOldError/);
});
