import { createHash } from 'node:crypto';
import { fullId } from '../../delivery/event-names.js';
import { type Change, entriesOf, type KeyValueStore } from '../../store/key-value-store.js';
import { eventChanges, eventsOf } from './chunk-index.js';
import { pack, unpack } from './pack.js';

/**
 * On the key-value store: attempts of a destination, a few in one value, packed; and beside each, by time and by destination, how many, how
 * many bytes in all, since when, which of them made an earlier one of the same delivery out of date, and the users and events, short.
 */
const CHUNKS = 'recent/';
const BY_TIME = 'recent-times/';
const BY_DESTINATION = 'recent-index/';

/** Failures stand with the attempts that followed them, apart from what succeeded at once. A chunk holds one kind. */
export type Kind = 'failures' | 'successes';

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
  /** It takes about so many bytes in the store, with its part of the indexes. */
  readonly bytes: number;
  /** No attempt in it began earlier, in ms since 1970. */
  readonly attemptedFrom: number;
  /** None of its events was accepted earlier, in ms since 1970. */
  readonly acceptedFrom: number;
  /** The deliveries of which attempts lie in older chunks, or may. */
  readonly again: readonly string[];
}

/** Stands before each short name, and nowhere else in an index. */
const NAME = '~';

/** A user or the name of an event, short: a chunk that has another one of the same short name is read in vain. */
const shortNameOf = (name: string): string => NAME + createHash('sha256').update(name).digest('base64url').slice(0, 4);

/** A search gives these. */
export const shortNames = (names: readonly (string | undefined)[]): string[] =>
  names.flatMap((name) => (name === undefined ? [] : shortNameOf(name)));

/** Tells whether a chunk may have all these names, by what the index has. One that an earlier version wrote has none there. */
const mayHave = (indexed: string, names: readonly string[]): boolean =>
  names.length === 0 || !indexed.includes(NAME) || names.every((name) => indexed.includes(name));

/** A delivery, short: by it an index knows one among a few thousand. */
export const deliveryOf = ({ key, ...event }: { id: string; source?: string | undefined; key: string }): string =>
  createHash('sha256')
    .update(JSON.stringify([fullId(event), key]))
    .digest('base64url')
    .slice(0, 8);

export const placeOf = (kind: Kind, at: number, process: string, number: number): string =>
  `${String(LAST_MS - at).padStart(13, '0')}-${String(number).padStart(3, '0')}-${process}-${kind}`;

export const kindOf = ({ place }: Pick<Chunk, 'place'>): Kind =>
  place.endsWith('failures') ? 'failures' : 'successes';

/** When it was written: no attempt in it began later. */
export const writtenAt = ({ place }: Pick<Chunk, 'place'>): number => LAST_MS - Number(place.slice(0, 13));

const prefixOf = (under: string, destination: string): string => `${under}${encodeURIComponent(destination)}/`;

export type Place = Pick<Chunk, 'destination' | 'place'>;

const chunkKey = ({ destination, place }: Place): string => prefixOf(CHUNKS, destination) + place;
const indexKey = ({ destination, place }: Place): string => prefixOf(BY_DESTINATION, destination) + place;

/** The chunks of all destinations are in the order of this text, the newest first. */
export const standing = ({ destination, place }: Place): string => `${place}/${encodeURIComponent(destination)}`;

const indexKeys = (place: Place): string[] => [indexKey(place), BY_TIME + standing(place)];

/** An entry takes so many bytes beside its key and its value: measured at 234 in Redis, and at 155 to 300 in lmdb. */
const ENTRY_BYTES = 220;

/** Estimates what entries take in a store, in bytes. */
export const weigh = (changes: readonly Change[]): number =>
  changes.reduce((sum, { key, value = '' }) => sum + key.length + value.length + ENTRY_BYTES, 0);

/** What the attempts of a chunk are about. */
interface Contents {
  readonly events: readonly string[];
  /** The names of users and events by which a search finds them. @default none */
  readonly names?: readonly string[];
}

/** @param before the events that it had */
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

/** @param events of its attempts */
export const removalOf = (place: Place, events: readonly string[]): Change[] => [
  ...[chunkKey(place), ...indexKeys(place)].map((key) => ({ key, value: undefined })),
  ...eventChanges(place, events, []),
];

/** Puts the changes of whole chunks together, as many as one write takes. */
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

/** The chunks of a destination that may have these names, newest first. */
export async function* chunksOf(
  keyValues: KeyValueStore,
  destination: string,
  names: readonly string[] = [],
): AsyncGenerator<Chunk, void, undefined> {
  const prefix = prefixOf(BY_DESTINATION, destination);
  for await (const { key, value } of entriesOf(keyValues, prefix))
    if (mayHave(value, names)) yield chunkAt({ destination, place: key.slice(prefix.length) }, value);
}

/** The chunks of all destinations that may have these names, newest first. */
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

/** Reads what the index has at these places. Those that were removed meanwhile are left out. */
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

export async function removeChunks(keyValues: KeyValueStore, places: readonly Place[]): Promise<void> {
  const events = await eventsOf(keyValues, places);
  const removals = places.map((place, at) => removalOf(place, events[at] ?? []));
  for (const changes of writesOf(removals)) await keyValues.write(changes);
}
