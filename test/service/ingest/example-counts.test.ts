import { expect, test } from 'vitest';
import { ExampleCounts } from '../../../src/service/ingest/example-counts.js';
import type { KeyValueStore } from '../../../src/store/key-value-store.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock, settled } from '../../support/fake-clock.js';
import { heldWrites } from '../held-writes.js';

test('an example is made once, when it is written, and not for replaced ones', async () => {
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

test('counts with different prefixes are separate', async () => {
  const [{ keyValues }, clock] = [memoryStorage(), new FakeClock()];
  const [one, other] = ['one/', 'other/'].map(
    (prefix) => new ExampleCounts<number>(prefix, { keyValues, clock, onError: () => {} }),
  );
  one?.add('shop', 'a', () => 1);
  other?.add('shop', 'a', () => 2);
  expect((await one?.of('shop'))?.map(({ example }) => example)).toEqual([1]);
});

test('an example that a failing store did not accept is written when it works again', async () => {
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
  isDown = true;
  counts.add('shop', 'a', () => 'the second');
  const failing = counts.flush();
  await settled();
  counts.add('shop', 'a', () => 'the third');
  await failing;
  isDown = false;
  expect((await counts.of('shop')).map(({ count, example }) => [count, example])).toEqual([[3, 'the third']]);
  expect(errors).toHaveLength(2);
});

test('a kind that is counted during a write is listed, and written when the counts are closed', async () => {
  const { keyValues } = memoryStorage();
  const { slow, held } = heldWrites(keyValues);
  const counts = new ExampleCounts<string>('seen/', { keyValues: slow, clock: new FakeClock(), onError: () => {} });
  counts.add('shop', 'a', () => 'one');
  void counts.flush();
  await settled();
  counts.add('shop', 'b', () => 'two');
  const [listed, closed] = [counts.of('shop'), counts.close()];
  held.resolve();
  await closed;
  expect(await listed).toHaveLength(2);
  expect(await keyValues.list('seen/', undefined, 10)).toHaveLength(2);
});

const WEEK_MS = 7 * 24 * 60 * 60_000;

test('counts are written every five seconds and once more when they are closed', async () => {
  const [{ keyValues }, clock] = [memoryStorage(), new FakeClock()];
  const counts = new ExampleCounts<string>('seen/', { keyValues, clock, onError: () => {} });
  const written = async (): Promise<number> => (await keyValues.list('seen/', undefined, 10)).length;
  counts.add('shop', 'a', () => 'one');
  await clock.pass(5_000);
  expect(await written()).toBe(1);
  counts.add('shop', 'b', () => 'two');
  await counts.close();
  expect([await written(), clock.due]).toEqual([2, []]);
});

test('a kind is listed for a week after it was last counted, the latest first, and then removed by the sweep', async () => {
  const [{ keyValues }, clock] = [memoryStorage(), new FakeClock()];
  const counts = new ExampleCounts<string>('seen/', { keyValues, clock, onError: () => {} });
  counts.add('shop', 'a', () => 'one');
  await counts.flush();
  clock.advance(1);
  counts.add('shop', 'b', () => 'two');
  const kinds = async (): Promise<string[]> => (await counts.of('shop')).map(({ kind }) => kind);
  clock.advance(WEEK_MS - 1);
  await counts.sweep();
  expect(await kinds()).toEqual(['b', 'a']);
  clock.advance(1);
  expect(await kinds()).toEqual(['b']);
  await counts.sweep();
  expect(await keyValues.list('seen/', undefined, 10)).toHaveLength(1);
});

test('the sweep removes more entries than are listed at once', async () => {
  const [{ keyValues }, clock] = [memoryStorage(), new FakeClock()];
  const counts = new ExampleCounts<number>('seen/', { keyValues, clock, onError: () => {} });
  for (let kind = 0; kind < 1_001; kind++) counts.add('shop', `kind ${kind}`, () => kind);
  await counts.flush();
  clock.advance(WEEK_MS + 1);
  await counts.sweep();
  expect(await keyValues.list('seen/', undefined, 10)).toEqual([]);
});

test('a kind that several processes counted has the latest example', async () => {
  const [{ keyValues }, clock] = [memoryStorage(), new FakeClock()];
  const open = () => new ExampleCounts<string>('seen/', { keyValues, clock, onError: () => {} });
  const [one, other] = [open(), open()];
  one.add('shop', 'a', () => 'earlier');
  clock.advance(1);
  other.add('shop', 'a', () => 'later');
  await one.flush();
  expect(await other.of('shop')).toEqual([{ kind: 'a', count: 2, lastAt: clock.wall(), example: 'later' }]);
});
