import { type Change, entriesOf, type KeyValueStore } from '../../store/key-value-store.js';
import type { KeepBounds } from './bounds.js';

/** On the key-value store: attempts of a destination, a few in one value, and beside each how many and how many bytes. */
const CHUNKS = 'recent/';
const INDEX = 'recent-index/';

/** Newer chunks come first, in the order of the store. */
const LAST_MS = 9_999_999_999_999;

/** The most changes in one write are 1,000; a chunk is two of them. */
const MOST_AT_ONCE = 400;

/** A chunk as the index has it. */
export interface Chunk {
  readonly destination: string;
  /** Its place in time, the newest first; unique for the destination. */
  readonly place: string;
  readonly attempts: number;
  readonly bytes: number;
}

export const placeOf = (at: number, process: string, number: number): string =>
  `${String(LAST_MS - at).padStart(13, '0')}-${String(number).padStart(3, '0')}-${process}`;

/** When it was written: no attempt in it began later. */
export const writtenAt = ({ place }: Pick<Chunk, 'place'>): number => LAST_MS - Number(place.slice(0, 13));

const prefixOf = (under: string, destination: string): string => `${under}${encodeURIComponent(destination)}/`;

export const changesTo = ({ destination, place, attempts, bytes }: Chunk, text: string): Change[] => [
  { key: prefixOf(CHUNKS, destination) + place, value: text },
  { key: prefixOf(INDEX, destination) + place, value: `${attempts} ${bytes}` },
];

/** The chunks of a destination, newest first. */
export async function chunksOf(keyValues: KeyValueStore, destination: string): Promise<Chunk[]> {
  const prefix = prefixOf(INDEX, destination);
  const chunks: Chunk[] = [];
  for await (const { key, value } of entriesOf(keyValues, prefix)) {
    const [attempts = 0, bytes = 0] = value.split(' ').map(Number);
    chunks.push({ destination, place: key.slice(prefix.length), attempts, bytes });
  }
  return chunks;
}

/** Undefined for those that were removed meanwhile. */
export const readChunks = (keyValues: KeyValueStore, chunks: readonly Chunk[]): Promise<(string | undefined)[]> =>
  keyValues.get(chunks.map(({ destination, place }) => prefixOf(CHUNKS, destination) + place));

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
  for (let from = 0; from < gone.length; from += MOST_AT_ONCE) {
    const changes = gone.slice(from, from + MOST_AT_ONCE).flatMap((chunk) => changesTo(chunk, ''));
    await keyValues.write(changes.map(({ key }) => ({ key, value: undefined })));
  }
}

/** The destinations of which anything is kept, those that are configured no more among them. */
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
