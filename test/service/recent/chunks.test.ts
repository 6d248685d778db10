import { expect, test } from 'vitest';
import type { KeepBounds } from '../../../src/service/recent/bounds.js';
import {
  type Chunk,
  changesTo,
  chunksOf,
  deliveryOf,
  keptDestinations,
  placeOf,
  readChunk,
  readChunks,
  removalOf,
  trim,
  writtenAt,
} from '../../../src/service/recent/chunks.js';
import { chunksWith, eventsIn } from '../../../src/service/recent/event-index.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';

const MANY: KeepBounds = { attempts: 1_000, bytes: 1_000_000, ageMs: 1_000_000 };

const chunkOf = (at: number, fields: Partial<Chunk> = {}): Chunk => ({
  destination: 'crm',
  place: placeOf(at, 'p1', 0),
  attempts: 10,
  bytes: 100,
  again: [],
  ...fields,
});

async function storeOf(...chunks: readonly Chunk[]) {
  const { keyValues } = memoryStorage();
  for (const chunk of chunks) await keyValues.write(changesTo(chunk, `text of ${chunk.place}`, []));
  const times = async (destination = 'crm'): Promise<number[]> =>
    (await chunksOf(keyValues, destination)).map(writtenAt);
  return { keyValues, times };
}

test('chunks are listed newest first, and within a millisecond by their number', async () => {
  const { keyValues } = await storeOf(
    chunkOf(1_000),
    chunkOf(3_000),
    chunkOf(2_000, { place: placeOf(2_000, 'p1', 1) }),
    chunkOf(2_000, { place: placeOf(2_000, 'p1', 0) }),
    chunkOf(2_000, { place: placeOf(2_000, 'p2', 0) }),
  );
  expect((await chunksOf(keyValues, 'crm')).map(({ place }) => place)).toEqual([
    placeOf(3_000, 'p1', 0),
    placeOf(2_000, 'p1', 0),
    placeOf(2_000, 'p2', 0),
    placeOf(2_000, 'p1', 1),
    placeOf(1_000, 'p1', 0),
  ]);
});

test('a chunk is listed as it was written, with the deliveries that came again', async () => {
  const chunk = chunkOf(1_000, { again: [deliveryOf({ id: 'm1', key: 'k' }), deliveryOf({ id: 'm2', key: 'k' })] });
  const { keyValues } = await storeOf(chunk);
  expect(await chunksOf(keyValues, 'crm')).toEqual([chunk]);
});

test('a delivery differs from those of another event or another webhook', () => {
  const names = [
    { id: 'm1', key: 'k' },
    { id: 'm2', key: 'k' },
    { id: 'm1', key: 'k2' },
  ].map(deliveryOf);
  expect(new Set(names).size).toBe(3);
  expect(names.every((name) => /^[\w-]{8}$/.test(name))).toBe(true);
});

test('the texts of chunks are read in their order, and of a removed one there is none', async () => {
  const [kept, removed] = [chunkOf(1_000), chunkOf(2_000)];
  const { keyValues } = await storeOf(kept, removed);
  await keyValues.write(removalOf(removed, []));
  expect(await readChunks(keyValues, [removed, kept])).toEqual([undefined, `text of ${kept.place}`]);
  expect(await readChunk(keyValues, removed)).toMatchObject({ chunk: undefined, text: undefined });
});

test('a chunk that was read can be replaced while it is unchanged', async () => {
  const chunk = chunkOf(1_000);
  const { keyValues } = await storeOf(chunk);
  const { indexed } = await readChunk(keyValues, chunk);
  expect(await keyValues.writeIf(indexed, changesTo({ ...chunk, attempts: 9 }, 'smaller', []))).toBe(true);
  expect(await keyValues.writeIf(indexed, removalOf(chunk, []))).toBe(false);
  expect(await readChunk(keyValues, chunk)).toMatchObject({ chunk: { attempts: 9 }, text: 'smaller' });
});

test.each<[string, Partial<KeepBounds>, number[]]>([
  ['attempts', { attempts: 20 }, [3_000, 2_000]],
  ['bytes', { bytes: 299 }, [3_000, 2_000]],
  ['age', { ageMs: 1_500 }, [3_000, 2_000]],
  ['nothing', {}, [3_000, 2_000, 1_000]],
  ['everything', { attempts: 0 }, []],
])('a trim by %s leaves the newest chunks within the bounds', async (_, bounds, left) => {
  const { keyValues, times } = await storeOf(
    ...[1_000, 2_000, 3_000].map((at) => chunkOf(at)),
    chunkOf(1_000, { destination: 'ads' }),
  );
  await trim(keyValues, 'crm', { ...MANY, ...bounds }, 3_000);
  expect(await times()).toEqual(left);
  expect(await times('ads')).toEqual([1_000]);
  const texts = await keyValues.list('recent/', undefined, 10);
  expect(texts).toHaveLength(left.length + 1);
});

test('a trim removes more chunks than fit in one write', async () => {
  const { keyValues, times } = await storeOf(...Array.from({ length: 450 }, (_, index) => chunkOf(1_000 + index)));
  const write = keyValues.write.bind(keyValues);
  keyValues.write = async (changes) => {
    expect(changes.length).toBeLessThanOrEqual(1_000);
    return write(changes);
  };
  await trim(keyValues, 'crm', { ...MANY, attempts: 10 }, 2_000);
  expect(await times()).toEqual([1_449]);
});

test('a trim removes where the events of a chunk are with the chunk, also of chunks with many', async () => {
  const { keyValues } = memoryStorage();
  const many = Array.from({ length: 40 }, (_, index) => chunkOf(1_000 + index));
  for (const [at, chunk] of many.entries())
    await keyValues.write(changesTo(chunk, '[]', eventsIn(Array.from({ length: 50 }, (_, each) => `m${at}-${each}`))));
  const write = keyValues.write.bind(keyValues);
  keyValues.write = async (changes) => {
    expect(changes.length).toBeLessThanOrEqual(1_000);
    return write(changes);
  };
  await trim(keyValues, 'crm', { ...MANY, attempts: 10 }, 2_000);
  expect(await chunksWith(keyValues, 'm0-0')).toEqual([]);
  expect(await chunksWith(keyValues, 'm39-49')).toHaveLength(1);
  expect(await keyValues.list('recent-event/', undefined, 100)).toHaveLength(50);
  expect(await keyValues.list('recent-events/', undefined, 100)).toHaveLength(1);
});

test('each destination with kept deliveries is named once, whatever its name', async () => {
  const names = ['a', 'a/b', 'a b', 'ä', 'a0'];
  const { keyValues } = await storeOf(
    ...names.flatMap((destination) => [chunkOf(1_000, { destination }), chunkOf(2_000, { destination })]),
  );
  const found: string[] = [];
  for await (const name of keptDestinations(keyValues)) found.push(name);
  expect(found.toSorted()).toEqual(names.toSorted());
});

test('a chunk is read as it was written, however long, and so is one of a version that packed nothing', async () => {
  const [packed, plain] = [chunkOf(2_000), chunkOf(1_000)];
  const text = JSON.stringify(Array.from({ length: 500 }, (_, index) => `attempt ${index}`));
  const { keyValues } = await storeOf(plain);
  await keyValues.write(changesTo(packed, text, []));
  const [change] = changesTo(plain, '', []);
  await keyValues.write([{ key: change?.key ?? '', value: text }]);
  expect((await keyValues.get([changesTo(packed, '', [])[0]?.key ?? '']))[0]?.length).toBeLessThan(text.length / 2);
  expect(await readChunks(keyValues, [packed, plain])).toEqual([text, text]);
  expect((await readChunk(keyValues, packed)).text).toBe(text);
});
