import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { type Durability, KeptWait, type Stored } from '../../../src/store/redis/kept-wait.js';
import { startFakeRedis } from './fake-redis.js';

const DISK: Durability = { disk: true, replicas: 0 };

const STORED: readonly Stored[] = [{ keys: ['{own}:seen:a'] }];

/** Creates a wait on a fake server whose disk and replicas the test controls. `there` is the number of keys that it reports. */
async function waiting({ durability = DISK, there = 1 }: { durability?: Durability; there?: number } = {}) {
  const commands: string[] = [];
  const held: ((resp: string) => void)[] = [];
  const url = await startFakeRedis((name, answer) => {
    if (['exists', 'hexists', 'set', 'waitaof', 'wait'].includes(name)) commands.push(name);
    if (name === 'waitaof' || name === 'wait') held.push(answer);
    else if (name.endsWith('exists')) answer(`:${there}\r\n`);
    else answer(name === 'info' ? '$11\r\nloading:0\r\n\r\n' : '+OK\r\n');
  });
  const redis = new Redis(url);
  onTestFinished(() => {
    redis.disconnect();
    keptWait.disconnect();
  });
  const keptWait = new KeptWait(redis, () => 0, durability);
  /** Answers the wait that is running. */
  const answer = async (resp: string): Promise<void> => {
    await expect.poll(() => held.length).toBeGreaterThan(0);
    held.shift()?.(resp);
  };
  return { keptWait, commands, answer };
}

const WRITTEN = '*2\r\n:1\r\n:0\r\n';
const NOT_IN_TIME = '*2\r\n:0\r\n:0\r\n';

test('a wait for the disk resolves once a mark that was written later is on the disk', async () => {
  const { keptWait, commands, answer } = await waiting();
  let isSettled = false;
  const settled = keptWait.kept(STORED).then(() => {
    isSettled = true;
  });
  await expect.poll(() => commands).toEqual(['exists', 'set', 'waitaof']);
  expect(isSettled).toBe(false);
  await answer(WRITTEN);
  await settled;
});

test('calls that arrive during a wait for the disk share the next wait', async () => {
  const { keptWait, commands, answer } = await waiting();
  const first = keptWait.kept(STORED);
  await expect.poll(() => commands).toContain('waitaof');
  const others = [1, 2, 3].map(() => keptWait.kept(STORED));
  await answer(WRITTEN);
  await first;
  await answer(WRITTEN);
  await Promise.all(others);
  expect(commands).toEqual(['exists', 'set', 'waitaof', 'exists', 'exists', 'exists', 'set', 'waitaof']);
});

test.each([
  ['takes too long', NOT_IN_TIME, 'Redis: nothing was written to its disk within 3000 ms'],
  [
    'the server refuses',
    '-ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.\r\n',
    /appendonly is disabled/,
  ],
])('a wait for the disk that %s fails for its own callers, but not for later ones', async (_, resp, message) => {
  const { keptWait, commands, answer } = await waiting();
  const failed = expect(keptWait.kept(STORED)).rejects.toThrow(message);
  await expect.poll(() => commands).toContain('waitaof');
  const next = keptWait.kept(STORED);
  await answer(resp);
  await failed;
  await answer(WRITTEN);
  await next;
});

test('with waitForDisk and replicas, both are waited for', async () => {
  const { keptWait, commands, answer } = await waiting({ durability: { disk: true, replicas: 2 } });
  const kept = keptWait.kept([{ hash: '{own}:shelf:values', field: 'a/1' }]);
  await answer(WRITTEN);
  await answer(':2\r\n');
  await kept;
  expect(commands).toEqual(['hexists', 'set', 'waitaof', 'wait']);
});

test('writes that too few replicas have in time are not confirmed', async () => {
  const { keptWait, answer } = await waiting({ durability: { disk: false, replicas: 2 } });
  const failed = expect(keptWait.kept(STORED)).rejects.toThrow(
    'Redis: 1 of 2 replicas that are waited for had it within 3000 ms',
  );
  await answer(':1\r\n');
  await failed;
});

test('data that the new server lacks after a failover is not confirmed, however many replicas that server has', async () => {
  const { keptWait, answer } = await waiting({ durability: { disk: false, replicas: 1 }, there: 0 });
  const failed = expect(keptWait.kept(STORED)).rejects.toThrow('another server took the place');
  await answer(':1\r\n');
  await failed;
});
