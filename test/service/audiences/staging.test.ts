import { expect, test } from 'vitest';
import { memberKeyOf, readEntry, userIdOf } from '../../../src/service/audiences/keys.js';
import { Staging } from '../../../src/service/audiences/staging.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';

function stagingOf(options: { runSize?: number; batchSize?: number; progress?: (received: number) => void } = {}) {
  const { keyValues } = memoryStorage();
  const staging = new Staging({
    keyValues,
    kind: 'audience',
    prefix: 'staged/',
    batchSize: 2,
    runSize: 4,
    progress: () => {},
    ...options,
  });
  const staged = async () =>
    (await keyValues.list('staged/', undefined, 100)).map(({ key, value }) => {
      const [, run, place = ''] = key.split('/');
      const { json, rest } = readEntry(value);
      const userId = userIdOf({ place, rest });
      return `${Number.parseInt(run ?? '', 36)} ${userId}=${json ?? 'none'}`;
    });
  return { staging, staged };
}

test('ids are staged in sorted runs, and the last word on an id counts within a run', async () => {
  const { staging, staged } = stagingOf();
  await staging.addAll(['d', 'b', 'b', 'c', 'a', 'e'], 'true');
  await staging.addAll(['e'], undefined);
  await staging.end();
  expect(await staged()).toEqual(['0 a=true', '0 b=true', '0 c=true', '0 d=true', '1 e=none']);
});

test('progress tells the number of ids received, repetitions included', async () => {
  const told: number[] = [];
  const { staging } = stagingOf({ progress: (received) => told.push(received) });
  await staging.addAll(['a', 'a', 'b'], 'true');
  await staging.end();
  expect(told[0]).toBe(2);
  expect(told.at(-1)).toBe(3);
});

test('what progress throws stops the staging', async () => {
  const { staging } = stagingOf({
    progress: () => {
      throw new Error('closed');
    },
  });
  await expect(staging.addAll(['a', 'b', 'c'], 'true')).rejects.toThrow('closed');
});

test('a wrong id is refused with its number', async () => {
  const { staging } = stagingOf();
  await expect(staging.addAll(['a', ''], 'true')).rejects.toThrow('member 2: expected a non-empty string');
});

test('users with a value each are staged with it, and of a user named twice the last value counts', async () => {
  const { staging, staged } = stagingOf();
  await staging.addEach([
    { userId: 'b', json: '1' },
    { userId: 'a', json: '{"plan":"pro"}' },
    { userId: 'b', json: '2' },
    { userId: 'c', json: undefined },
  ]);
  await staging.end();
  expect(await staged()).toEqual(['0 a={"plan":"pro"}', '0 b=2', '0 c=none']);
});

test('an id too long for a key is staged under its hash, and read back whole', async () => {
  const userId = 'ü'.repeat(200);
  expect(memberKeyOf(userId).place.length).toBeLessThan(100);
  const { staging, staged } = stagingOf();
  await staging.addAll([userId], 'true');
  await staging.end();
  expect(await staged()).toEqual([`0 ${userId}=true`]);
});
