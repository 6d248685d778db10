import { setImmediate } from 'node:timers/promises';
import { endedAs } from '../../delivery/outcome.js';
import { shownUrl } from '../../destination/shown-url.js';
import { isRecord } from '../../protocol/is.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import { type Chunk, chunksAt, chunksOf, deliveryOf, readChunks, writtenAt } from './chunks.js';
import { chunksWith } from './event-index.js';
import { decodeAll, type RecentAttempt } from './recent-attempt.js';

/** Which deliveries: those for which all of it holds. */
export interface RecentFilter {
  readonly id?: string | undefined;
  readonly user?: string | undefined;
  readonly event?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly status?: string | undefined;
  readonly phase?: string | undefined;
  /** Which time `from` and `to` are of: that of the last attempt, or of the acceptance. @default 'attempt' */
  readonly by?: 'attempt' | 'acceptance' | undefined;
  /** In ms since 1970, as is `to`. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** An attempt, and where it was found. */
export interface Found {
  readonly destination: string;
  readonly attempt: RecentAttempt;
  /** Where a search goes on after it. */
  readonly cursor: string;
}

/** The most chunks that are read at a time; the first comes alone, as it is often enough. */
const MOST_CHUNKS = 4;

/** The last attempts of those deliveries, newest first: a delivery that was tried several times comes once. */
export async function* latest(
  keyValues: KeyValueStore,
  destinations: readonly string[],
  { filter, after }: { readonly filter: RecentFilter; readonly after: string | undefined },
): AsyncGenerator<Found, void, undefined> {
  const chunks = await sortedChunks(keyValues, destinations, filter);
  const passed = chunks.filter((chunk) => after !== undefined && compare(placeOf(chunk), chunkPlaceOf(after)) < 0);
  const hasPassed = among(passed);
  const seen = new Set<string>();
  for await (const found of attemptsOf(keyValues, chunks.slice(passed.length), filter)) {
    const { destination, attempt, cursor } = found;
    const delivery = JSON.stringify([destination, attempt.id, attempt.key]);
    const isLatest = !seen.has(delivery) && !hasPassed(found);
    seen.add(delivery);
    // What the cursor names may have been removed meanwhile, so places are compared.
    if ((after === undefined || compare(cursor, after) > 0) && isLatest && fits(attempt, filter)) yield found;
  }
}

/** Every attempt that is kept, newest first. Those of which a filter asks for an id it does not have may be left out. */
export async function* attempts(
  keyValues: KeyValueStore,
  destinations: readonly string[],
  filter: Needed = {},
): AsyncGenerator<Found, void, undefined> {
  yield* attemptsOf(keyValues, await sortedChunks(keyValues, destinations, filter), filter);
}

type Needed = Pick<RecentFilter, 'id' | 'user' | 'from'>;

async function sortedChunks(
  keyValues: KeyValueStore,
  destinations: readonly string[],
  { id }: Pick<RecentFilter, 'id'>,
): Promise<Chunk[]> {
  const chunks =
    id === undefined
      ? (await Promise.all(destinations.map((name) => chunksOf(keyValues, name)))).flat()
      : await chunksFor(keyValues, new Set(destinations), id);
  return chunks.sort((one, other) => compare(placeOf(one), placeOf(other)));
}

/** An unknown id costs one read. */
async function chunksFor(keyValues: KeyValueStore, destinations: ReadonlySet<string>, id: string): Promise<Chunk[]> {
  const places = (await chunksWith(keyValues, id)).filter(({ destination }) => destinations.has(destination));
  return places.length === 0 ? [] : chunksAt(keyValues, places);
}

/** Whether a delivery has a later attempt in these chunks, as their index says: the chunks are not read. */
function among(chunks: readonly Chunk[]): (found: Found) => boolean {
  const again = new Map<string, Set<string>>();
  for (const chunk of chunks) {
    const deliveries = again.get(chunk.destination) ?? new Set();
    again.set(chunk.destination, deliveries);
    for (const delivery of chunk.again) deliveries.add(delivery);
  }
  return ({ destination, attempt }) => {
    const deliveries = again.get(destination);
    return deliveries !== undefined && deliveries.size > 0 && deliveries.has(deliveryOf(attempt));
  };
}

async function* attemptsOf(
  keyValues: KeyValueStore,
  chunks: readonly Chunk[],
  { user, from }: Needed,
): AsyncGenerator<Found, void, undefined> {
  // Within the text of a chunk an id stands as JSON has it.
  const needle = user === undefined ? '' : JSON.stringify(user).slice(1, -1);
  for (let at = 0, count = 1; at < chunks.length; at += count, count = Math.min(2 * count, MOST_CHUNKS)) {
    // To read a chunk takes a millisecond, and a store on this machine answers within the turn.
    if (at > 0) await setImmediate();
    const page = chunks.slice(at, at + count);
    const texts = await readChunks(keyValues, page);
    for (const [index, chunk] of page.entries()) {
      if (from !== undefined && writtenAt(chunk) < from) return;
      const text = texts[index];
      if (text === undefined || !text.includes(needle)) continue;
      yield* attemptsIn(chunk, text);
    }
  }
}

const placeOf = ({ place, destination }: Chunk): string => `${place}/${destination}`;

/** A cursor is the place of a chunk, and how many attempts of the chunk are newer. */
const chunkPlaceOf = (cursor: string): string => cursor.slice(0, Math.max(0, cursor.lastIndexOf('/')));

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function* attemptsIn(chunk: Chunk, text: string): Generator<Found, void, undefined> {
  const { destination } = chunk;
  for (const [index, attempt] of decodeAll(text).toReversed().entries())
    if (attempt !== null) yield { destination, attempt, cursor: `${placeOf(chunk)}/${String(index).padStart(3, '0')}` };
}

function fits(found: RecentAttempt, { id, user, event, endpoint, status, phase, by, from, to }: RecentFilter): boolean {
  const { attempt, message } = found;
  const at = by === 'acceptance' ? found.acceptedAt : attempt.at;
  const named = isRecord(message) ? message : {};
  return (
    (id === undefined || found.id === id || named['messageId'] === id) &&
    (user === undefined || named['userId'] === user || named['anonymousId'] === user) &&
    (event === undefined || named['event'] === event || named['type'] === event) &&
    (endpoint === undefined || found.webhookId === endpoint || isPartOf(endpoint, found.url)) &&
    (status === undefined || endedAs(attempt, status)) &&
    (phase === undefined || found.phase === phase) &&
    (from === undefined || at >= from) &&
    (to === undefined || at < to)
  );
}

const isPartOf = (text: string, url: string): boolean =>
  url.includes(text) || (URL.canParse(text) && shownUrl(text) === url);
