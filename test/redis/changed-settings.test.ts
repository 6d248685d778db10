import { expect, onTestFinished, test } from 'vitest';
import { openRedisStorage } from '../../src/store/redis/redis-storage.js';
import { ask, configOf, destinationOf, sendBatch, serving, track } from '../service/support.js';
import { QUICK, startRedis } from './storage.js';

test.each([
  ['maxmemory-policy', 'allkeys-lru', 'noeviction'],
  ['appendonly', 'no', 'yes'],
])(
  'a server that is reconfigured to %s %s is not ready, and new messages are refused until it is set back',
  async (setting, wrong, right) => {
    const server = await startRedis();
    const warnings: string[] = [];
    const storage = await openRedisStorage({ url: server.url, onWarning: (text) => warnings.push(text) }, QUICK);
    onTestFinished(() => storage.close());
    const { url } = await serving(configOf({ destinations: [destinationOf('http://127.0.0.1:9/')] }), { storage });
    const set = (value: string) => server.look((redis) => redis.config('SET', setting, value));
    expect((await sendBatch(url, track('m1'))).status).toBe(200);
    await set(wrong);
    await expect
      .poll(() => warnings)
      .toEqual([
        `Redis needs \`${setting} ${right}\`, or it loses what it accepted; it has \`${setting} ${wrong}\`. New events are refused`,
      ]);
    const { status, body } = await ask(url, '/readyz');
    expect({ status, message: body.message }).toEqual({
      status: 503,
      message: expect.stringContaining(`it has \`${setting} ${wrong}\``),
    });
    expect((await sendBatch(url, track('m2'))).status).toBe(503);
    await set(right);
    await expect.poll(() => warnings).toHaveLength(2);
    expect(warnings[1]).toBe('Redis is set up again as it has to be');
    expect((await ask(url, '/readyz')).status).toBe(200);
    expect((await sendBatch(url, track('m2'))).status).toBe(200);
  },
);
