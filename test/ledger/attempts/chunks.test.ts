import { expect, test } from 'vitest';
import {
  type Chunk,
  changesFrom,
  changesTo,
  chunksAt,
  deliveryOf,
  kindOf,
  oldestKept,
  placeOf,
  readChunk,
  readChunks,
  removeChunks,
  weigh,
  writtenAt,
} from '../../../src/ledger/attempts/chunks.js';
import { eventsIn } from '../../../src/ledger/attempts/id-index.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { bytesIn, chunksIn } from './support.js';

const chunkOf = (at: number, fields: Partial<Chunk> = {}): Chunk => ({
  destination: 'crm',
  place: placeOf('failures', at, 'p1', 0),
  attempts: 10,
  bytes: expect.any(Number),
  attemptedFrom: at - 30,
  acceptedFrom: at - 70,
  again: [],
  ...fields,
});

const contents = (text: string) => ({ text, ids: [], names: [] });

async function storeOf(...chunks: readonly Chunk[]) {
  const { keyValues } = memoryStorage();
  for (const chunk of chunks) await keyValues.write(changesTo(chunk, contents(`text of ${chunk.place}`)));
  return { keyValues };
}

test('chunks are listed newest first, and within a millisecond by their number', async () => {
  const { keyValues } = await storeOf(
    chunkOf(1_000),
    chunkOf(3_000),
    chunkOf(2_000, { place: placeOf('failures', 2_000, 'p1', 1) }),
    chunkOf(2_000, { place: placeOf('failures', 2_000, 'p1', 0) }),
    chunkOf(2_000, { place: placeOf('failures', 2_000, 'p2', 0) }),
  );
  expect((await chunksIn(keyValues, 'crm')).map(({ place }) => place)).toEqual([
    placeOf('failures', 3_000, 'p1', 0),
    placeOf('failures', 2_000, 'p1', 1),
    placeOf('failures', 2_000, 'p1', 0),
    placeOf('failures', 2_000, 'p2', 0),
    placeOf('failures', 1_000, 'p1', 0),
  ]);
});

test('a chunk is listed as it was written, with its deliveries that were tried before', async () => {
  const chunk = chunkOf(1_000, { again: [deliveryOf({ id: 'm1', key: 'k' }), deliveryOf({ id: 'm2', key: 'k' })] });
  const { keyValues } = await storeOf(chunk);
  expect(await chunksIn(keyValues, 'crm')).toEqual([chunk]);
});

test('the short name of a delivery differs from those of other events, sources and webhooks', () => {
  const names = [
    { id: 'm1', key: 'k' },
    { id: 'm2', key: 'k' },
    { id: 'm1', key: 'k2' },
    { id: 'm1', source: 'web', key: 'k' },
  ].map(deliveryOf);
  expect(new Set(names).size).toBe(4);
  expect(names.every((name) => /^[\w-]{8}$/.test(name))).toBe(true);
});

test('the texts of chunks are read in the given order, and a removed chunk has none', async () => {
  const [kept, removed] = [chunkOf(1_000), chunkOf(2_000)];
  const { keyValues } = await storeOf(kept, removed);
  await removeChunks(keyValues, [removed]);
  expect(await readChunks(keyValues, [removed, kept])).toEqual([undefined, `text of ${kept.place}`]);
  expect(await readChunk(keyValues, removed.place)).toMatchObject({ chunk: undefined, text: undefined });
});

test('a chunk that was read can be replaced only while it is unchanged', async () => {
  const chunk = chunkOf(1_000);
  const { keyValues } = await storeOf(chunk);
  const { indexed } = await readChunk(keyValues, chunk.place);
  const replace = (attempts: number) => changesFrom({ ...chunk, attempts }, contents('smaller'), []);
  expect(await keyValues.writeIf(indexed, replace(9))).toBe(true);
  expect(await keyValues.writeIf(indexed, replace(0))).toBe(false);
  expect(await readChunk(keyValues, chunk.place)).toMatchObject({ chunk: { attempts: 9 }, text: 'smaller' });
});

test('a chunk whose events change has one change for each event', () => {
  const [gone, kept, added] = ['gone', 'kept', 'new'].map((id) => eventsIn([id])[0]);
  const chunk = chunkOf(1_000);
  const changes = changesFrom(chunk, { ...contents('text'), ids: ['kept', 'new'] }, ['gone', 'kept']);
  const index = 'attempt-ids/';
  const ofIds = changes.filter(({ key }) => key.startsWith(index));
  expect(new Map(ofIds.map(({ key, value }) => [key.slice(index.length), value]))).toEqual(
    new Map([
      [`${gone}/${chunk.place}`, undefined],
      [`${kept}/${chunk.place}`, ''],
      [`${added}/${chunk.place}`, ''],
    ]),
  );
  expect(new Set(changes.map(({ key }) => key)).size).toBe(changes.length);
});

test('the chunks of all destinations are listed newest first, whatever their names', async () => {
  const names = ['a', 'a/b', 'a b', 'ä', 'a0', '~a'];
  const { keyValues } = await storeOf(
    ...names.map((destination, index) => chunkOf(2_000 - index, { destination })),
    chunkOf(1_000, { destination: 'a' }),
  );
  expect((await chunksIn(keyValues)).map(({ destination }) => destination)).toEqual([...names, 'a']);
  for (const name of names) expect(await chunksIn(keyValues, name)).toHaveLength(name === 'a' ? 2 : 1);
});

test('the oldest chunk is found to the second, at one destination or at all', async () => {
  const now = Date.parse('2026-11-20T12:00:00Z');
  const ats = [now - 700_000_000, now - 5_000_000, now - 5_000_500, now];
  const { keyValues } = await storeOf(
    ...ats.map((at) => chunkOf(at)),
    chunkOf(now - 900_000_000, { destination: 'ads' }),
  );
  const close = async (of: string | undefined, at: number) => Math.abs(((await oldestKept(keyValues, of)) ?? 0) - at);
  expect(await close('crm', now - 700_000_000)).toBeLessThanOrEqual(1_000);
  expect(await close(undefined, now - 900_000_000)).toBeLessThanOrEqual(1_000);
  expect(await oldestKept(keyValues, 'unknown')).toBeUndefined();
});

test('a place has the time of its chunk', () => {
  const at = Date.parse('2026-11-20T12:00:00.123Z');
  expect(writtenAt({ place: placeOf('failures', at, 'p1', 7) })).toBe(at);
});

test('the estimated size of a chunk is the size of its entries in the store', async () => {
  const chunk = chunkOf(1_000);
  const { keyValues } = await storeOf();
  const changes = changesTo(chunk, { text: 'x'.repeat(1_000), ids: ['event 1', 'event 2'], names: [] });
  await keyValues.write(changes);
  const all = weigh(changes);
  expect(all).toBeGreaterThan(1_000 + 5 * 200);
  expect(Math.abs((await bytesIn(keyValues, 'crm')) - all)).toBeLessThan(10);
});

test('the kind of a chunk is part of its place', () => {
  expect(kindOf(chunkOf(1_000))).toBe('failures');
  expect(kindOf({ place: placeOf('successes', 1_000, 'p1', 0) })).toBe('successes');
});

test('a long chunk is compressed, and read as it was written', async () => {
  const chunk = chunkOf(2_000);
  const text = JSON.stringify(Array.from({ length: 500 }, (_, index) => `attempt ${index}`));
  const { keyValues } = await storeOf();
  const changes = changesTo(chunk, contents(text));
  await keyValues.write(changes);
  expect(Math.max(...changes.map(({ value = '' }) => value.length))).toBeLessThan(text.length / 2);
  expect(await readChunks(keyValues, [chunk])).toEqual([text]);
});

test('chunks that were removed after their places were listed are left out', async () => {
  const [kept, removed] = [chunkOf(1_000), chunkOf(2_000)];
  const { keyValues } = await storeOf(kept, removed);
  await removeChunks(keyValues, [removed]);
  expect(await chunksAt(keyValues, [removed.place, kept.place])).toEqual([kept]);
});

test('a removal of chunks fails if the store does not accept it', async () => {
  const chunk = chunkOf(1_000);
  const { keyValues } = await storeOf(chunk);
  keyValues.write = async () => Promise.reject(new Error('away'));
  await expect(removeChunks(keyValues, [chunk])).rejects.toThrow('away');
});
