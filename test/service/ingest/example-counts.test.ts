import { expect, test } from 'vitest';
import { ExampleCounts } from '../../../src/service/ingest/example-counts.js';
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
