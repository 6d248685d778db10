import { expect, test } from 'vitest';
import { type Listed, MEMBER } from '../../../src/service/audiences/given-users.js';
import { listedAt, placeOf } from '../../../src/service/audiences/keys.js';
import { stage } from '../../../src/service/audiences/staging.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';

interface Options {
  runSize?: number;
  progress?: (received: number) => void;
}

/** Stages the list, and returns what is then on the key-value store. */
async function staged(list: readonly Listed[], { runSize = 4, progress = () => {} }: Options = {}): Promise<string[]> {
  const { keyValues } = memoryStorage();
  await stage({ keyValues, prefix: 'staged/', runSize, progress }, list);
  const entries = await keyValues.list('staged/', undefined, 10_000);
  return entries.map(({ key, value }) => {
    const { userId, json } = listedAt(key.slice('staged/'.length), value);
    return `${userId}=${json ?? 'none'}`;
  });
}

const members = (ids: readonly string[]): Listed[] => ids.map((userId) => ({ userId, json: MEMBER }));

test.each([1, 2, 100])('with runs of %i users, each user is staged once, in order', async (runSize) => {
  expect(await staged(members(['d', 'b', 'b', 'c', 'a', 'e']), { runSize })).toEqual(
    ['a', 'b', 'c', 'd', 'e'].map((user) => `${user}=true`),
  );
});

test.each([1, 2, 100])('with runs of %i users, the last value of a user counts', async (runSize) => {
  const list = [
    { userId: 'b', json: '1' },
    { userId: 'a', json: '{"plan":"pro"}' },
    { userId: 'b', json: '2' },
    { userId: 'c', json: '3' },
    { userId: 'c', json: undefined },
  ];
  expect(await staged(list, { runSize })).toEqual(['a={"plan":"pro"}', 'b=2', 'c=none']);
});

test('the progress is the number of users received, including repeated ones', async () => {
  const told: number[] = [];
  await staged(members(['a', 'a', 'b']), { progress: (received) => told.push(received) });
  expect(told.at(-1)).toBe(3);
});

test('the progress is reported while a long list arrives, before its first run is full', async () => {
  const told: number[] = [];
  const ids = Array.from({ length: 2_500 }, (_, index) => `user-${index}`);
  expect(await staged(members(ids), { runSize: 100_000, progress: (received) => told.push(received) })).toHaveLength(
    2_500,
  );
  expect(told.slice(0, 2)).toEqual([1_000, 2_000]);
});

test('an error thrown by the progress callback stops the staging', async () => {
  const progress = (): void => {
    throw new Error('closed');
  };
  await expect(staged(members(['a', 'b', 'c']), { progress })).rejects.toThrow('closed');
});

test('an id that is too long for a key is staged under its hash, and can be read back', async () => {
  const userId = 'ü'.repeat(200);
  expect(placeOf(userId).length).toBeLessThan(100);
  expect(await staged(members([userId]))).toEqual([`${userId}=true`]);
});

test('at most 20 million characters are held in memory, even if the users have large values', async () => {
  const { keyValues } = memoryStorage();
  let [read, written, mostHeld] = [0, 0, 0];
  const write = keyValues.write.bind(keyValues);
  keyValues.write = async (changes) => {
    await write(changes);
    written += changes.length;
  };
  const json = JSON.stringify('x'.repeat(1_990));
  const list = function* (): Generator<Listed> {
    for (; read < 25_000; mostHeld = Math.max(mostHeld, ++read - written)) yield { userId: `user-${read}`, json };
  };
  await stage({ keyValues, prefix: 'staged/', runSize: 1_000_000, progress: () => {} }, list());
  expect(written).toBe(25_000);
  expect(mostHeld).toBeLessThan(10_100);
});
