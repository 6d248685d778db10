import { createHash } from 'node:crypto';
import { fullId } from '../../delivery/event-names.js';
import { type Change, entriesOf, type KeyValueStore, MOST_CHANGES } from '../../store/key-value-store.js';
import { eventChanges, eventsOf } from './chunk-index.js';
import { pack, unpack } from './pack.js';

/**
 * The prefixes of the chunks and their two indexes. A chunk is one value with a few attempts of a destination, compressed. The
 * indexes, by time and by destination, hold its number of attempts, its size, its earliest times, the deliveries that have
 * attempts in older chunks, and short names of its users and events.
 */
const CHUNKS = 'recent/';
const BY_TIME = 'recent-times/';
const BY_DESTINATION = 'recent-index/';

/** `failures` are failed attempts and later ones at the same delivery; `successes` succeeded at once. A chunk holds one kind. */
export type Kind = 'failures' | 'successes';

/** Times are subtracted from this, so that newer chunks come first in the key order of the store. */
const LAST_MS = 9_999_999_999_999;

/** A chunk as its index entry describes it. */
export interface Chunk {
  readonly destination: string;
  /** The part of the key that orders chunks, newest first. It is unique for the destination. */
  readonly place: string;
  readonly attempts: number;
  /** The approximate size in the store, including its part of the indexes. */
  readonly bytes: number;
  /** The earliest time at which an attempt in it began, in ms since 1970. */
  readonly attemptedFrom: number;
  /** The earliest time at which one of its events was accepted, in ms since 1970. */
  readonly acceptedFrom: number;
  /** The deliveries that have, or may have, attempts in older chunks. */
  readonly again: readonly string[];
}

/** Marks each short name. Nothing else in an index has this character. */
const NAME = '~';

/** Shortens the name of a user or an event. Two names may have the same short name, so a search may read a chunk without need. */
const shortNameOf = (name: string): string => NAME + createHash('sha256').update(name).digest('base64url').slice(0, 4);

/** Returns the short names of those names that a search gives. */
export const shortNames = (names: readonly (string | undefined)[]): string[] =>
  names.flatMap((name) => (name === undefined ? [] : shortNameOf(name)));

/** Returns whether a chunk, by its index entry, may have all these names. A chunk indexed without names may have them. */
const mayHave = (indexed: string, names: readonly string[]): boolean =>
  names.length === 0 || !indexed.includes(NAME) || names.every((name) => indexed.includes(name));

/** Returns a short name for a delivery, long enough to tell it apart from a few thousand others. */
export const deliveryOf = ({ key, ...event }: { id: string; source?: string | undefined; key: string }): string =>
  createHash('sha256')
    .update(JSON.stringify([fullId(event), key]))
    .digest('base64url')
    .slice(0, 8);

export const placeOf = (kind: Kind, at: number, process: string, number: number): string =>
  `${String(LAST_MS - at).padStart(13, '0')}-${String(number).padStart(3, '0')}-${process}-${kind}`;

export const kindOf = ({ place }: Pick<Chunk, 'place'>): Kind =>
  place.endsWith('failures') ? 'failures' : 'successes';

/** Returns when the chunk was written. All attempts in it began before that. */
export const writtenAt = ({ place }: Pick<Chunk, 'place'>): number => LAST_MS - Number(place.slice(0, 13));

const prefixOf = (under: string, destination: string): string => `${under}${encodeURIComponent(destination)}/`;

export type Place = Pick<Chunk, 'destination' | 'place'>;

const chunkKey = ({ destination, place }: Place): string => prefixOf(CHUNKS, destination) + place;
const indexKey = ({ destination, place }: Place): string => prefixOf(BY_DESTINATION, destination) + place;

/** Returns the text by which the chunks of all destinations are ordered, newest first. */
export const standing = ({ destination, place }: Place): string => `${place}/${encodeURIComponent(destination)}`;

const indexKeys = (place: Place): string[] => [indexKey(place), BY_TIME + standing(place)];

/** The approximate size of an entry without key and value: 234 bytes were measured in Redis, and 155 to 300 in lmdb. */
const ENTRY_BYTES = 220;

/** Estimates the size of entries in a store, in bytes. */
export const weigh = (changes: readonly Change[]): number =>
  changes.reduce((sum, { key, value = '' }) => sum + key.length + value.length + ENTRY_BYTES, 0);

/** The events and names of a chunk's attempts. */
interface Contents {
  readonly events: readonly string[];
  /** The names of users and events by which a search finds them. @default none */
  readonly names?: readonly string[];
}

/** @param before the events that its attempts had before */
export function changesTo(
  chunk: Omit<Chunk, 'bytes'>,
  text: string,
  { events, names = [], before = [] }: Contents & { readonly before?: readonly string[] },
): Change[] {
  const contents = [{ key: chunkKey(chunk), value: pack(text) }, ...eventChanges(chunk, before, events)];
  const { attempts, attemptedFrom, acceptedFrom, again } = chunk;
  const short = shortNames([...new Set(names)]).join('');
  const indexed = (bytes: number): Change[] =>
    indexKeys(chunk).map((key) => ({
      key,
      value: [attempts, bytes, attemptedFrom, acceptedFrom, ...again, short].join(' '),
    }));
  return [...contents, ...indexed(weigh([...contents, ...indexed(0)]))];
}

/** @param events the events of its attempts */
export const removalOf = (place: Place, events: readonly string[]): Change[] => [
  ...[chunkKey(place), ...indexKeys(place)].map((key) => ({ key, value: undefined })),
  ...eventChanges(place, events, []),
];

/** Groups the changes of whole chunks into writes that are as large as the store accepts. */
function* writesOf(chunks: Iterable<readonly Change[]>): Generator<Change[], void, undefined> {
  let write: Change[] = [];
  for (const changes of chunks) {
    if (write.length + changes.length > MOST_CHANGES) {
      yield write;
      write = [];
    }
    write.push(...changes);
  }
  if (write.length > 0) yield write;
}

function chunkAt({ destination, place }: Place, indexed: string): Chunk {
  const [attempts, bytes, attemptedFrom, acceptedFrom, ...rest] = indexed.split(' ');
  const again = rest.filter((each) => each !== '' && !each.startsWith(NAME));
  return {
    ...{ destination, place, attempts: Number(attempts), bytes: Number(bytes) },
    ...{ attemptedFrom: Number(attemptedFrom), acceptedFrom: Number(acceptedFrom), again },
  };
}

/** Yields the chunks of a destination that may have these names, newest first. */
export async function* chunksOf(
  keyValues: KeyValueStore,
  destination: string,
  names: readonly string[] = [],
): AsyncGenerator<Chunk, void, undefined> {
  const prefix = prefixOf(BY_DESTINATION, destination);
  for await (const { key, value } of entriesOf(keyValues, prefix))
    if (mayHave(value, names)) yield chunkAt({ destination, place: key.slice(prefix.length) }, value);
}

/** Yields the chunks of all destinations that may have these names, newest first. */
export async function* allChunks(
  keyValues: KeyValueStore,
  names: readonly string[] = [],
): AsyncGenerator<Chunk, void, undefined> {
  for await (const { key, value } of entriesOf(keyValues, BY_TIME)) {
    if (!mayHave(value, names)) continue;
    const [place = '', destination = ''] = key.slice(BY_TIME.length).split('/');
    yield chunkAt({ destination: decodeURIComponent(destination), place }, value);
  }
}

/** Reads the index entries of these places. Chunks that were removed in the meantime are left out. */
export async function chunksAt(keyValues: KeyValueStore, places: readonly Place[]): Promise<Chunk[]> {
  const indexed = await keyValues.get(places.map(indexKey));
  return places.flatMap((place, at) => {
    const value = indexed[at];
    return value === undefined ? [] : [chunkAt(place, value)];
  });
}

/** Reads the contents of these chunks; undefined for those that were removed in the meantime. */
export async function readChunks(keyValues: KeyValueStore, chunks: readonly Chunk[]): Promise<(string | undefined)[]> {
  const texts = await keyValues.get(chunks.map(chunkKey));
  return texts.map((text) => text && unpack(text));
}

/** Reads the current chunk and its index entry. As long as the entry stays the same, the chunk is unchanged. */
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

export async function removeChunks(keyValues: KeyValueStore, places: readonly Place[]): Promise<void> {
  const events = await eventsOf(keyValues, places);
  const removals = places.map((place, at) => removalOf(place, events[at] ?? []));
  for (const changes of writesOf(removals)) await keyValues.write(changes);
}
