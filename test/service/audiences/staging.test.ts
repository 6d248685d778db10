import { expect, test } from 'vitest';
import { memberKeyOf } from '../../../src/service/audiences/keys.js';
import { readStaged, Staging } from '../../../src/service/audiences/staging.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';

function stagingOf(options: { runSize?: number; batchSize?: number; progress?: (received: number) => void } = {}) {
  const { keyValues } = memoryStorage();
  const staging = new Staging({
    keyValues,
    prefix: 'staged/',
    batchSize: 2,
    runSize: 4,
    progress: () => {},
    ...options,
  });
  const staged = async () =>
    (await keyValues.list('staged/', undefined, 100)).map(({ key, value }) => {
      const [, run, place = ''] = key.split('/');
      const { userId, joins } = readStaged(place, value);
      return `${Number.parseInt(run ?? '', 36)} ${joins ? '+' : '-'}${userId}`;
    });
  return { staging, staged };
}

test('ids are staged in sorted runs, and the last word on an id counts within a run', async () => {
  const { staging, staged } = stagingOf();
  await staging.addAll(['d', 'b', 'b', 'c', 'a', 'e']);
  await staging.addAll(['e'], false);
  await staging.end();
  expect(await staged()).toEqual(['0 +a', '0 +b', '0 +c', '0 +d', '1 -e']);
});

test('progress tells the number of ids received, repetitions included', async () => {
  const told: number[] = [];
  const { staging } = stagingOf({ progress: (received) => told.push(received) });
  await staging.addAll(['a', 'a', 'b']);
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
  await expect(staging.addAll(['a', 'b', 'c'])).rejects.toThrow('closed');
});

test('a wrong id is refused with its number', async () => {
  const { staging } = stagingOf();
  await expect(staging.addAll(['a', ''])).rejects.toThrow('member 2: expected a non-empty string');
});

test('an id too long for a key is staged under its hash, and read back whole', () => {
  const userId = 'ü'.repeat(200);
  const { place, rest } = memberKeyOf(userId);
  expect(place.length).toBeLessThan(100);
  expect(readStaged(place, `+${rest}`)).toEqual({ userId, rest, joins: true });
});
