import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { RedisClient } from '../../../src/store/redis/redis-client.js';
import { RedisDiskWait } from '../../../src/store/redis/redis-disk-wait.js';
import { startFakeRedis } from './fake-redis.js';

/** A wait on a server whose disk a test moves. */
async function waiting() {
  const commands: string[] = [];
  const held: ((resp: string) => void)[] = [];
  const url = await startFakeRedis((name, answer) => {
    if (name === 'set' || name === 'waitaof') commands.push(name);
    if (name === 'waitaof') held.push(answer);
    else answer(name === 'info' ? '$11\r\nloading:0\r\n\r\n' : '+OK\r\n');
  });
  const redis = new Redis(url);
  onTestFinished(() => redis.disconnect());
  const diskWait = new RedisDiskWait(new RedisClient(redis), 'written');
  /** Answers the wait that is under way. */
  const answer = async (resp: string): Promise<void> => {
    await expect.poll(() => held.length).toBe(1);
    held.shift()?.(resp);
  };
  return { diskWait, commands, answer };
}

const WRITTEN = '*2\r\n:1\r\n:0\r\n';
const NOT_IN_TIME = '*2\r\n:0\r\n:0\r\n';

test('whoever waits for the disk is told once a mark that was written later is on it', async () => {
  const { diskWait, commands, answer } = await waiting();
  let isSettled = false;
  const settled = diskWait.settled().then(() => {
    isSettled = true;
  });
  await expect.poll(() => commands).toEqual(['set', 'waitaof']);
  expect(isSettled).toBe(false);
  await answer(WRITTEN);
  await settled;
});

test('all who come while the disk is waited for share the next wait', async () => {
  const { diskWait, commands, answer } = await waiting();
  const first = diskWait.settled();
  const others = [1, 2, 3].map(() => diskWait.settled());
  await answer(WRITTEN);
  await first;
  await answer(WRITTEN);
  await Promise.all(others);
  expect(commands).toEqual(['set', 'waitaof', 'set', 'waitaof']);
});

test.each([
  ['was not written in time', NOT_IN_TIME, 'Redis: nothing was written to its disk within 3000 ms'],
  [
    'cannot be',
    '-ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.\r\n',
    /appendonly is disabled/,
  ],
])('what %s is a failure for those who waited, and not for those after them', async (_, resp, message) => {
  const { diskWait, answer } = await waiting();
  const [failing, next] = [diskWait.settled(), diskWait.settled()];
  const failed = expect(failing).rejects.toThrow(message);
  await answer(resp);
  await failed;
  await answer(WRITTEN);
  await next;
});
