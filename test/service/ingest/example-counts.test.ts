import { expect, test } from 'vitest';
import { ExampleCounts } from '../../../src/service/ingest/example-counts.js';
import type { KeyValueStore } from '../../../src/store/key-value-store.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';

test('an example is made when it is written, once, and not for those that another replaced', async () => {
  const [{ keyValues }, clock] = [memoryStorage(), new FakeClock()];
  const counts = new ExampleCounts<string>('seen/', { keyValues, clock, onError: () => {} });
  const made: string[] = [];
  const example = (text: string) => (): string => {
    made.push(text);
    return text;
  };
  counts.add('shop', 'a', example('first'));
  counts.add('shop', 'a', example('second'));
  await counts.flush();
  counts.add('shop', 'b', example('third'));
  await counts.flush();
  expect(made).toEqual(['second', 'third']);
  expect((await counts.of('shop')).map(({ kind, count, example: shown }) => [kind, count, shown]).toSorted()).toEqual([
    ['a', 2, 'second'],
    ['b', 1, 'third'],
  ]);
});

test('counts of different prefixes stand side by side', async () => {
  const [{ keyValues }, clock] = [memoryStorage(), new FakeClock()];
  const [one, other] = ['one/', 'other/'].map(
    (prefix) => new ExampleCounts<number>(prefix, { keyValues, clock, onError: () => {} }),
  );
  one?.add('shop', 'a', () => 1);
  other?.add('shop', 'a', () => 2);
  expect((await one?.of('shop'))?.map(({ example }) => example)).toEqual([1]);
});

test('an example that a failing store did not take is written when it works again', async () => {
  const { keyValues } = memoryStorage();
  let isDown = true;
  const flaky = {
    list: keyValues.list.bind(keyValues),
    write: (...args: Parameters<KeyValueStore['write']>) =>
      isDown ? Promise.reject(new Error('away')) : keyValues.write(...args),
  } as unknown as KeyValueStore;
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const counts = new ExampleCounts<string>('seen/', { keyValues: flaky, clock: new FakeClock(), onError });
  counts.add('shop', 'a', () => 'the first');
  await counts.flush();
  isDown = false;
  expect((await counts.of('shop')).map(({ count, example }) => [count, example])).toEqual([[1, 'the first']]);
  expect(errors).toHaveLength(1);
});
