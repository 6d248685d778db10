import { expect, test } from 'vitest';
import { Examples } from '../../../src/ledger/examples/examples.js';
import { ProcessValues } from '../../../src/ledger/process-values.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';

/** Opens the examples of several processes with the same store. */
function processes<E>(count: number, prefix = 'seen/') {
  const [{ keyValues }, clock] = [memoryStorage(), new FakeClock()];
  const all = Array.from({ length: count }, () => {
    const values = new ProcessValues(keyValues);
    const examples = new Examples<E>(prefix, { keyValues, clock, values });
    return { examples, values };
  });
  return { all, keyValues, clock };
}

function open<E>() {
  const { all, ...rest } = processes<E>(1);
  return { ...rest, ...(all[0] as (typeof all)[number]) };
}

const WEEK_MS = 7 * 24 * 60 * 60_000;

test('an example is made once, when it is written, and not for replaced ones', async () => {
  const { examples, values } = open<string>();
  const made: string[] = [];
  const example = (text: string) => (): string => {
    made.push(text);
    return text;
  };
  examples.add('shop', 'a', example('first'));
  examples.add('shop', 'a', example('second'));
  await values.write();
  examples.add('shop', 'b', example('third'));
  await values.write();
  expect(made).toEqual(['second', 'third']);
  const found = await examples.of('shop');
  expect(found.map(({ kind, count, example: shown }) => [kind, count, shown]).toSorted()).toEqual([
    ['a', 2, 'second'],
    ['b', 1, 'third'],
  ]);
});

test('examples with different prefixes are separate', async () => {
  const [{ keyValues }, clock] = [memoryStorage(), new FakeClock()];
  const values = new ProcessValues(keyValues);
  const [one, other] = ['one/', 'other/'].map((prefix) => new Examples<number>(prefix, { keyValues, clock, values }));
  one?.add('shop', 'a', () => 1);
  other?.add('shop', 'a', () => 2);
  await values.write();
  expect((await one?.of('shop'))?.map(({ example }) => example)).toEqual([1]);
});

test('a kind is listed for a week after it was last counted, the latest first, and then removed by the sweep', async () => {
  const { examples, values, keyValues, clock } = open<string>();
  examples.add('shop', 'a', () => 'one');
  clock.advance(1);
  examples.add('shop', 'b', () => 'two');
  await values.write();
  const kinds = async (): Promise<string[]> => (await examples.of('shop')).map(({ kind }) => kind);
  clock.advance(WEEK_MS - 1);
  await examples.sweep();
  expect(await kinds()).toEqual(['b', 'a']);
  clock.advance(1);
  expect(await kinds()).toEqual(['b']);
  await examples.sweep();
  expect(await keyValues.list('seen/', undefined, 10)).toHaveLength(1);
});

test('a kind that comes again every day for two weeks has the count of the last week, to within a day', async () => {
  const { examples, values, keyValues, clock } = open<string>();
  for (let hour = 0; hour < 24 * 14; hour++) {
    examples.add('shop', 'a', () => `hour ${hour}`);
    if (hour % 24 === 23) await examples.sweep();
    await values.write();
    clock.advance(WEEK_MS / 7 / 24);
  }
  const [found, ...others] = await examples.of('shop');
  expect(others).toEqual([]);
  expect(found?.example).toBe(`hour ${24 * 14 - 1}`);
  expect(found?.count).toBeGreaterThanOrEqual(24 * 7);
  expect(found?.count).toBeLessThanOrEqual(24 * 8);
  expect(found?.firstAt).toBeGreaterThanOrEqual(clock.wall() - (WEEK_MS * 8) / 7);
  expect((await keyValues.list('seen/', undefined, 100)).length).toBeLessThanOrEqual(8);
});

test('the sweep removes more entries than are listed at once', async () => {
  const { examples, values, keyValues, clock } = open<number>();
  for (let kind = 0; kind < 1_001; kind++) examples.add('shop', `kind ${kind}`, () => kind);
  await values.write();
  clock.advance(WEEK_MS + 1);
  await examples.sweep();
  expect(await keyValues.list('seen/', undefined, 10)).toEqual([]);
});

test('a kind that several processes counted has the first time, the last time and the latest example', async () => {
  const { all, clock } = processes<string>(2);
  const firstAt = clock.wall();
  for (const [index, { examples }] of all.entries()) {
    examples.add('shop', 'a', () => `example ${index}`);
    clock.advance(1);
  }
  for (const { values } of all.toReversed()) await values.write();
  expect(await all[0]?.examples.of('shop')).toEqual([
    { kind: 'a', count: 2, firstAt, lastAt: firstAt + 1, example: 'example 1' },
  ]);
});

test('a name has room for 100 kinds, and for those that it has', () => {
  const { examples } = open<number>();
  for (let kind = 0; kind < 100; kind++) {
    expect(examples.hasRoomFor('shop', `kind ${kind}`)).toBe(true);
    examples.add('shop', `kind ${kind}`, () => kind);
  }
  expect([examples.hasRoomFor('shop', 'another'), examples.hasRoomFor('shop', 'kind 7')]).toEqual([false, true]);
  expect(examples.hasRoomFor('another shop', 'another')).toBe(true);
});

test('a kind that the sweep has removed makes room for another one, and is counted from zero when it comes back', async () => {
  const { examples, values, clock } = open<number>();
  for (let kind = 0; kind < 100; kind++) examples.add('shop', `kind ${kind}`, () => kind);
  await values.write();
  clock.advance(WEEK_MS + 1);
  await examples.sweep();
  expect(examples.hasRoomFor('shop', 'another')).toBe(true);
  examples.add('shop', 'kind 7', () => 7);
  await values.write();
  expect(await examples.of('shop')).toMatchObject([{ kind: 'kind 7', count: 1, firstAt: clock.wall() }]);
});

test('a damaged entry is not listed, and the sweep removes it', async () => {
  const { examples, keyValues } = open<number>();
  await keyValues.write([{ key: 'seen/shop/a/p1', value: '{' }]);
  expect(await examples.of('shop')).toEqual([]);
  await examples.sweep();
  expect(await keyValues.list('seen/', undefined, 10)).toEqual([]);
});

test('an example is made once even if its first write fails', async () => {
  const { examples, values, keyValues } = open<string>();
  let made = 0;
  examples.add('shop', 'a', () => `made ${++made}`);
  const write = keyValues.write.bind(keyValues);
  keyValues.write = async () => Promise.reject(new Error('away'));
  await expect(values.write()).rejects.toThrow('away');
  keyValues.write = write;
  await values.write();
  expect((await examples.of('shop')).map(({ example }) => example)).toEqual(['made 1']);
});
