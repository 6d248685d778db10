import { expect, test } from 'vitest';
import { Pager } from '../../../src/service/audiences/pager.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';

async function pagerOf(places: readonly string[], cursor: string | undefined, pageSize: number) {
  const { keyValues } = memoryStorage();
  await keyValues.write(places.map((place) => ({ key: `list/${place}`, value: `of ${place}` })));
  await keyValues.write([{ key: 'list-other/z', value: '' }]);
  const pager = new Pager(keyValues, 'list/', cursor, pageSize);
  const rest = async (): Promise<string[]> => {
    const found: string[] = [];
    for (await pager.load(); pager.place !== undefined; await pager.load()) {
      found.push(`${pager.place} ${pager.value}`);
      pager.skipIf(pager.place);
    }
    return found;
  };
  return { pager, rest };
}

test.each([1, 2, 3, 10])('a pager with pages of %i reads every entry of its prefix in order', async (pageSize) => {
  const { rest } = await pagerOf(['a', 'b', 'c'], undefined, pageSize);
  expect(await rest()).toEqual(['a of a', 'b of b', 'c of c']);
});

test('a pager begins after its cursor, which need not be an entry', async () => {
  expect(await (await pagerOf(['a', 'b', 'c'], 'a', 2)).rest()).toEqual(['b of b', 'c of c']);
  expect(await (await pagerOf(['a', 'c'], 'b', 2)).rest()).toEqual(['c of c']);
});

test('skipIf moves only from the place it names', async () => {
  const { pager } = await pagerOf(['a', 'b'], undefined, 10);
  await pager.load();
  expect([pager.skipIf('b'), pager.place, pager.skipIf('a'), pager.place]).toEqual([false, 'a', true, 'b']);
});
