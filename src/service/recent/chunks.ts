import { createHash } from 'node:crypto';
import { type Change, entriesOf, type KeyValueStore } from '../../store/key-value-store.js';
import type { KeepBounds } from './bounds.js';
import { eventChanges, eventsOf } from './event-index.js';
import { pack, unpack } from './pack.js';

/**
 * On the key-value store: attempts of a destination, a few in one value, packed; and beside each how many, how many bytes, and which of
 * them made an earlier one of the same delivery out of date.
 */
const CHUNKS = 'recent/';
const INDEX = 'recent-index/';

/** Newer chunks come first, in the order of the store. */
const LAST_MS = 9_999_999_999_999;

/** The most changes that a store takes in one write. */
const MOST_CHANGES = 1_000;

/** A chunk as the index has it. */
export interface Chunk {
  readonly destination: string;
  /** Its place in time, the newest first; unique for the destination. */
  readonly place: string;
  readonly attempts: number;
  readonly bytes: number;
  /** The deliveries of which attempts lie in older chunks, or may. */
  readonly again: readonly string[];
}

/** A delivery, short: by it an index knows one among a few thousand. */
export const deliveryOf = ({ id, key }: { readonly id: string; readonly key: string }): string =>
  createHash('sha256')
    .update(JSON.stringify([id, key]))
    .digest('base64url')
    .slice(0, 8);

export const placeOf = (at: number, process: string, number: number): string =>
  `${String(LAST_MS - at).padStart(13, '0')}-${String(number).padStart(3, '0')}-${process}`;

/** When it was written: no attempt in it began later. */
export const writtenAt = ({ place }: Pick<Chunk, 'place'>): number => LAST_MS - Number(place.slice(0, 13));

const prefixOf = (under: string, destination: string): string => `${under}${encodeURIComponent(destination)}/`;

export type Place = Pick<Chunk, 'destination' | 'place'>;

const chunkKey = ({ destination, place }: Place): string => prefixOf(CHUNKS, destination) + place;
const indexKey = ({ destination, place }: Place): string => prefixOf(INDEX, destination) + place;

/** @param events of its attempts @param before those that it had */
export const changesTo = (
  chunk: Chunk,
  text: string,
  events: readonly string[],
  before: readonly string[] = [],
): Change[] => [
  { key: chunkKey(chunk), value: pack(text) },
  { key: indexKey(chunk), value: [chunk.attempts, chunk.bytes, ...chunk.again].join(' ') },
  ...eventChanges(chunk, before, events),
];

/** @param events of its attempts */
export const removalOf = (place: Place, events: readonly string[]): Change[] => [
  ...[chunkKey(place), indexKey(place)].map((key) => ({ key, value: undefined })),
  ...eventChanges(place, events, []),
];

/** Puts the changes of whole chunks together, as many as one write takes. */
function* writesOf(chunks: Iterable<readonly Change[]>): Generator<Change[], void, undefined> {
  let write: Change[] = [];
  for (const changes of chunks) {
    if (write.length > 0 && write.length + changes.length > MOST_CHANGES) {
      yield write;
      write = [];
    }
    write.push(...changes);
  }
  if (write.length > 0) yield write;
}

function chunkAt({ destination, place }: Place, indexed: string): Chunk {
  const [attempts, bytes, ...again] = indexed.split(' ');
  return { destination, place, attempts: Number(attempts), bytes: Number(bytes), again };
}

/** The chunks of a destination, newest first. */
export async function chunksOf(keyValues: KeyValueStore, destination: string): Promise<Chunk[]> {
  const prefix = prefixOf(INDEX, destination);
  const chunks: Chunk[] = [];
  for await (const { key, value } of entriesOf(keyValues, prefix)) {
    chunks.push(chunkAt({ destination, place: key.slice(prefix.length) }, value));
  }
  return chunks;
}

/** What the index has at these places. Those that were removed meanwhile are left out. */
export async function chunksAt(keyValues: KeyValueStore, places: readonly Place[]): Promise<Chunk[]> {
  const indexed = await keyValues.get(places.map(indexKey));
  return places.flatMap((place, at) => {
    const value = indexed[at];
    return value === undefined ? [] : [chunkAt(place, value)];
  });
}

/** Undefined for those that were removed meanwhile. */
export async function readChunks(keyValues: KeyValueStore, chunks: readonly Chunk[]): Promise<(string | undefined)[]> {
  const texts = await keyValues.get(chunks.map(chunkKey));
  return texts.map((text) => text && unpack(text));
}

/** A chunk as it is now, and what its index says: as long as that holds, the chunk is the same. */
export async function readChunk(
  keyValues: KeyValueStore,
  place: Place,
): Promise<{ readonly indexed: Change; readonly chunk: Chunk | undefined; readonly text: string | undefined }> {
  const key = indexKey(place);
  const [value, text] = await keyValues.get([key, chunkKey(place)]);
  return {
    indexed: { key, value },
    chunk: value === undefined ? undefined : chunkAt(place, value),
    text: text && unpack(text),
  };
}

/** Removes what is beyond the bounds. */
export async function trim(
  keyValues: KeyValueStore,
  destination: string,
  bounds: KeepBounds,
  now: number,
): Promise<void> {
  let [attempts, bytes] = [0, 0];
  const gone = (await chunksOf(keyValues, destination)).filter((chunk) => {
    attempts += chunk.attempts;
    bytes += chunk.bytes;
    return attempts > bounds.attempts || bytes > bounds.bytes || writtenAt(chunk) < now - bounds.ageMs;
  });
  for (let from = 0; from < gone.length; from += MOST_READ) {
    await remove(keyValues, gone.slice(from, from + MOST_READ));
  }
}

/** The number of chunks that are read at once to learn which events they are about. */
const MOST_READ = 200;

async function remove(keyValues: KeyValueStore, chunks: readonly Chunk[]): Promise<void> {
  const events = await eventsOf(keyValues, chunks);
  const removals = chunks.map((chunk, at) => removalOf(chunk, events[at] ?? []));
  for (const changes of writesOf(removals)) await keyValues.write(changes);
}

/** The destinations that have chunks, also those that the configuration no longer has. */
export async function* keptDestinations(keyValues: KeyValueStore): AsyncGenerator<string, void, undefined> {
  for (let after: string | undefined = INDEX; ; ) {
    const [first] = await keyValues.list(INDEX, after, 1);
    if (first === undefined) return;
    const name = first.key.slice(INDEX.length, first.key.indexOf('/', INDEX.length));
    yield decodeURIComponent(name);
    // `0` comes right after `/`: past everything of this destination.
    after = `${INDEX}${name}0`;
  }
}
