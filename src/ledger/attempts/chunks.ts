import { hash } from 'node:crypto';
import { fullId } from '../../delivery/event-names.js';
import { type Change, entriesOf, type KeyValueStore, MOST_CHANGES, pagesOf } from '../../store/key-value-store.js';
import { eventsIn, idChanges } from './id-index.js';
import { pack, unpack } from './pack.js';

/**
 * The prefixes of the chunks and their two indexes. A chunk is one value: the short names of a few events of a destination, then
 * their attempts, compressed. The index by time has an entry for each chunk, with the chunk's destination, its number of
 * attempts, its size, its earliest times, the deliveries that have attempts in older chunks, and short names of its users and
 * events. The index by destination only lists places.
 */
const CHUNKS = 'attempts/';
const BY_TIME = 'attempt-times/';
const BY_DESTINATION = 'attempt-index/';

/** `successes` are deliveries that succeeded at the first attempt; `failures` are all other attempts. A chunk holds one kind. */
export type AttemptKind = 'failures' | 'successes';

/** A chunk as its index entry describes it. */
export interface Chunk {
  /** The key in the index by time, which orders all chunks, newest first. */
  readonly place: string;
  readonly destination: string;
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

/** Marks each short name. Nothing else in an index entry has this character after the destination. */
const NAME = '~';

/** Shortens the name of a user or an event. Two names may have the same short name, so a search may read a chunk without need. */
const shortNameOf = (name: string): string => NAME + hash('sha256', name, 'base64url').slice(0, 4);

/** Returns the short names of those names that a search gives. */
export const shortNames = (names: readonly (string | undefined)[]): string[] =>
  names.flatMap((name) => (name === undefined ? [] : shortNameOf(name)));

/** Returns a short name for a delivery, long enough to tell it apart from a few thousand others. */
export const deliveryOf = ({ key, ...event }: { id: string; source?: string | undefined; key: string }): string =>
  hash('sha256', JSON.stringify([fullId(event), key]), 'base64url').slice(0, 8);

/** The latest time that a place can hold: in the year 2059. Times are subtracted from it, so that newer chunks come first. */
const LAST_MS = 36 ** 8 - 1;

/** The maximum number of chunks of a process in one millisecond. */
const LAST_NUMBER = 36 ** 4 - 1;

const LETTERS: Readonly<Record<AttemptKind, string>> = { failures: 'f', successes: 's' };

/** @param number the number of the chunk among those of this process and time; a later chunk has a higher one */
export const placeOf = (kind: AttemptKind, at: number, process: string, number: number): string =>
  `${inBase36(LAST_MS - at, 8)}${inBase36(LAST_NUMBER - number, 4)}${process}${LETTERS[kind]}`;

const inBase36 = (number: number, length: number): string => number.toString(36).padStart(length, '0');

export const kindOf = ({ place }: Pick<Chunk, 'place'>): AttemptKind =>
  place.endsWith(LETTERS.failures) ? 'failures' : 'successes';

/** Returns when the chunk was written. All attempts in it began before that. */
export const writtenAt = ({ place }: Pick<Chunk, 'place'>): number => LAST_MS - Number.parseInt(place.slice(0, 8), 36);

const prefixOf = (destination: string): string => `${BY_DESTINATION}${encodeURIComponent(destination)}/`;

/** The approximate size of an entry without key and value: 234 bytes were measured in Redis, and 155 to 300 in lmdb. */
const ENTRY_BYTES = 220;

/** Estimates the size of entries in a store, in bytes. */
export const weigh = (changes: readonly Change[]): number =>
  changes.reduce((sum, { key, value = '' }) => sum + key.length + value.length + ENTRY_BYTES, 0);

/** What a chunk holds. */
export interface Contents {
  /** The attempts as a list in JSON. */
  readonly text: string;
  /** The ids of the events of the attempts. */
  readonly ids: readonly string[];
  /** The names of users and events by which a search finds the attempts. */
  readonly names: readonly string[];
}

/** Returns the changes that write a chunk. */
export function changesTo(chunk: Omit<Chunk, 'bytes'>, { text, ids, names }: Contents): Change[] {
  const { place, destination, attempts, attemptedFrom, acceptedFrom, again } = chunk;
  const events = eventsIn(ids);
  const short = shortNames([...new Set(names)]).join('');
  const indexed = (bytes: number): Change => ({
    key: BY_TIME + place,
    value: [encodeURIComponent(destination), attempts, bytes, attemptedFrom, acceptedFrom, ...again, short].join(' '),
  });
  const contents = [
    { key: CHUNKS + place, value: `${events.join(' ')}\n${pack(text)}` },
    { key: prefixOf(destination) + place, value: '' },
    ...idChanges(place, events, ''),
  ];
  return [...contents, indexed(weigh([...contents, indexed(0)]))];
}

/** Returns the changes that replace the contents of a chunk, or remove the chunk if no attempts are left. */
export function changesFrom(chunk: Chunk, contents: Contents, before: Contents['ids']): Change[] {
  const written = chunk.attempts === 0 ? [] : changesTo(chunk, contents);
  const changes = [...removalOf(chunk, eventsIn(before)), ...written];
  // Only the last change of a key counts, so a key that is written again is not removed first.
  return [...new Map(changes.map((change) => [change.key, change])).values()];
}

const removalOf = ({ place, destination }: Chunk, events: readonly string[]): Change[] => [
  ...[CHUNKS + place, BY_TIME + place, prefixOf(destination) + place].map((key) => ({ key, value: undefined })),
  ...idChanges(place, events, undefined),
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

function chunkAt(place: string, indexed: string): Chunk {
  const [destination = '', attempts, bytes, attemptedFrom, acceptedFrom, ...rest] = indexed.split(' ');
  return {
    ...{ place, destination: decodeURIComponent(destination), attempts: Number(attempts), bytes: Number(bytes) },
    ...{ attemptedFrom: Number(attemptedFrom), acceptedFrom: Number(acceptedFrom) },
    again: rest.filter((each) => each !== '' && !each.startsWith(NAME)),
  };
}

/** Returns the chunk of an index entry if it may have all these names. */
function chunkWith(place: string, indexed: string, names: readonly string[]): Chunk[] {
  return names.every((name) => indexed.includes(name)) ? [chunkAt(place, indexed)] : [];
}

/** The number of places of a destination that are read at a time. */
const PAGE = 100;

/** Yields the chunks of a destination that may have these names, newest first. */
export async function* chunksOf(
  keyValues: KeyValueStore,
  destination: string,
  names: readonly string[] = [],
): AsyncGenerator<Chunk, void, undefined> {
  const prefix = prefixOf(destination);
  for await (const entries of pagesOf(keyValues, prefix, undefined, PAGE)) {
    const places = entries.map(({ key }) => key.slice(prefix.length));
    yield* await chunksAt(keyValues, places, names);
  }
}

/** Yields the chunks of all destinations that may have these names, newest first. */
export async function* allChunks(
  keyValues: KeyValueStore,
  names: readonly string[] = [],
): AsyncGenerator<Chunk, void, undefined> {
  for await (const { key, value } of entriesOf(keyValues, BY_TIME))
    yield* chunkWith(key.slice(BY_TIME.length), value, names);
}

/** Returns when the newest chunk was written; 0 if there is none. */
export async function newestKept(keyValues: KeyValueStore): Promise<number> {
  const [entry] = await keyValues.list(BY_TIME, undefined, 1);
  return entry === undefined ? 0 : writtenAt({ place: entry.key.slice(BY_TIME.length) });
}

/** The precision of `oldestKept`, in ms. */
const PRECISION_MS = 1_000;

/** Finds when the oldest chunk of a destination, or of all, was written, to the second; undefined if there is none. */
export async function oldestKept(keyValues: KeyValueStore, destination?: string): Promise<number | undefined> {
  const prefix = destination === undefined ? BY_TIME : prefixOf(destination);
  // The store lists only forwards, which is from new to old, so the oldest chunk is found by bisection.
  let [from, oldest] = [0, LAST_MS];
  for (let isAny = false; oldest - from > PRECISION_MS; isAny = true) {
    const middle = isAny ? Math.floor((from + oldest) / 2) : LAST_MS;
    const [entry] = await keyValues.list(prefix, prefix + inBase36(LAST_MS - middle, 8), 1);
    if (entry !== undefined) oldest = writtenAt({ place: entry.key.slice(prefix.length) });
    else if (isAny) from = middle;
    else return undefined;
  }
  return oldest;
}

/** Reads the index entries of these places. Chunks that were removed in the meantime are left out. */
export async function chunksAt(
  keyValues: KeyValueStore,
  places: readonly string[],
  names: readonly string[] = [],
): Promise<Chunk[]> {
  const indexed = await keyValues.get(places.map((place) => BY_TIME + place));
  return places.flatMap((place, at) => {
    const value = indexed[at];
    return value === undefined ? [] : chunkWith(place, value, names);
  });
}

/** Reads the attempts of these chunks; undefined for those that were removed in the meantime. */
export async function readChunks(keyValues: KeyValueStore, chunks: readonly Chunk[]): Promise<(string | undefined)[]> {
  const values = await keyValues.get(chunks.map(({ place }) => CHUNKS + place));
  return values.map((value) => value && textIn(value));
}

/** Reads the current chunk and its index entry. As long as the entry stays the same, the chunk is unchanged. */
export async function readChunk(
  keyValues: KeyValueStore,
  place: string,
): Promise<{ readonly indexed: Change; readonly chunk: Chunk | undefined; readonly text: string | undefined }> {
  const key = BY_TIME + place;
  const [value, contents] = await keyValues.get([key, CHUNKS + place]);
  return {
    indexed: { key, value },
    chunk: value === undefined ? undefined : chunkAt(place, value),
    text: contents && textIn(contents),
  };
}

const textIn = (value: string): string => unpack(value.slice(value.indexOf('\n') + 1));

export async function removeChunks(keyValues: KeyValueStore, chunks: readonly Chunk[]): Promise<void> {
  const values = await keyValues.get(chunks.map(({ place }) => CHUNKS + place));
  const removals = chunks.map((chunk, at) => {
    const events = values[at]?.split('\n', 1)[0]?.split(' ') ?? [];
    return removalOf(chunk, events);
  });
  for (const changes of writesOf(removals)) await keyValues.write(changes);
}
