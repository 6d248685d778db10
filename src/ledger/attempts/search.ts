import { setImmediate } from 'node:timers/promises';
import { endedAs } from '../../delivery/attempt-outcome.js';
import { fullId } from '../../delivery/event-names.js';
import { shownUrl } from '../../destination/sending/shown-url.js';
import { isRecord } from '../../protocol/plain.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import {
  type AttemptKind,
  allChunks,
  type Chunk,
  chunksAt,
  chunksOf,
  deliveryOf,
  kindOf,
  readChunks,
  shortNames,
  writtenAt,
} from './chunks.js';
import { placesWith } from './id-index.js';
import { decodeAll, isNamed, type KeptAttempt } from './kept-attempt.js';

/** A filter of deliveries. A delivery matches if all given fields match. */
export interface AttemptFilter {
  readonly id?: string | undefined;
  readonly user?: string | undefined;
  readonly event?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly status?: string | undefined;
  readonly phase?: string | undefined;
  /** The time that `from` and `to` limit: that of the last attempt or of the acceptance. @default 'attempt' */
  readonly by?: 'attempt' | 'acceptance' | undefined;
  /** In ms since 1970, as is `to`. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** An attempt, and where it was found. */
export interface FoundAttempt {
  readonly destination: string;
  readonly attempt: KeptAttempt;
  /** The place after which a later search continues. */
  readonly cursor: string;
}

/** Returns the kind of attempts that can match the filter, if only one kind can. */
export const kindAsked = ({ phase = 'delivered', status = 'success' }: AttemptFilter): AttemptKind | undefined =>
  phase !== 'delivered' || !/^(2xx|2\d\d|success)$/i.test(status) ? 'failures' : undefined;

/** The maximum number of chunks that are read at a time. The first is read alone, because it is often enough. */
const MOST_CHUNKS = 4;

/** Yields the last attempt of each matching delivery, newest first. A delivery that was tried several times is yielded once. */
export async function* latest(
  keyValues: KeyValueStore,
  destinations: readonly string[],
  {
    filter,
    after,
    kind,
  }: {
    readonly filter: AttemptFilter;
    readonly after: string | undefined;
    /** Only chunks of this kind are read. @default both */
    readonly kind?: AttemptKind | undefined;
  },
): AsyncGenerator<FoundAttempt, void, undefined> {
  const passed = new Set<string>();
  const isNeeded = (chunk: Chunk): boolean =>
    isFrom(after, chunk) && !isTooLate(chunk, filter) && (kind ?? kindOf(chunk)) === kindOf(chunk);
  const skipsNone = kind === undefined && after === undefined && filter.to === undefined;
  const chunks = neededOf(chunksIn(keyValues, destinations, filter), isNeeded, passed);
  const seen = new Set<string>();
  for await (const found of attemptsOf(keyValues, chunks, filter)) {
    const { destination, attempt, cursor } = found;
    const delivery = JSON.stringify([destination, fullId(attempt), attempt.key]);
    const hasPassed = passed.size > 0 && passed.has(passedKey(destination, deliveryOf(attempt)));
    const isLatest = !seen.has(delivery) && !hasPassed;
    seen.add(delivery);
    // Places are compared, because the attempt that the cursor names may have been removed.
    if ((after !== undefined && cursor <= after) || !isLatest || !fits(attempt, filter)) continue;
    if (skipsNone || (await isLatestAmong(keyValues, found, (chunk) => !isNeeded(chunk)))) yield found;
  }
}

/**
 * Returns false if a chunk that the search skipped has a later attempt at the event. The `again` of chunks does not show this: if
 * an event is sent again after it had ended, `again` does not contain the first new attempt.
 */
async function isLatestAmong(
  keyValues: KeyValueStore,
  { destination, attempt, cursor }: FoundAttempt,
  isSkipped: (chunk: Chunk) => boolean,
): Promise<boolean> {
  const chunks = (await chunksFor(keyValues, new Set([destination]), attempt.id)).filter(isSkipped);
  if (chunks.length === 0) return true;
  const texts = await readChunks(keyValues, chunks);
  const isLater = (chunk: Chunk, other: KeptAttempt | null): boolean =>
    other?.key === attempt.key &&
    fullId(other) === fullId(attempt) &&
    (writtenAt(chunk) - writtenAt({ place: cursor }) || other.attempt.at - attempt.attempt.at) > 0;
  return !chunks.some((chunk, index) => decodeAll(texts[index] ?? '').some((other) => isLater(chunk, other)));
}

/** Yields every kept attempt, newest first. `filter` only saves reads: attempts that do not match it may still be yielded. */
export async function* attempts(
  keyValues: KeyValueStore,
  destinations: readonly string[],
  filter: Pick<AttemptFilter, 'id'> & Needed = {},
): AsyncGenerator<FoundAttempt, void, undefined> {
  yield* attemptsOf(keyValues, chunksIn(keyValues, destinations, filter), filter);
}

/** Limits which chunks are read at all. */
type Needed = Pick<AttemptFilter, 'user' | 'from'>;

async function* chunksIn(
  keyValues: KeyValueStore,
  destinations: readonly string[],
  { id, user, event }: Pick<AttemptFilter, 'id' | 'user' | 'event'>,
): AsyncGenerator<Chunk, void, undefined> {
  const asked = new Set(destinations);
  const [only = '', ...others] = asked;
  // All attempts at a delivery are about the same user and event, so other chunks can be ignored.
  const names = shortNames([user, event]);
  if (id !== undefined) yield* await chunksFor(keyValues, asked, id);
  else if (others.length === 0) yield* chunksOf(keyValues, only, names);
  else for await (const chunk of allChunks(keyValues, names)) if (asked.has(chunk.destination)) yield chunk;
}

/** Finds the chunks with attempts for an id, newest first. An unknown id costs one read. */
async function chunksFor(keyValues: KeyValueStore, destinations: ReadonlySet<string>, id: string): Promise<Chunk[]> {
  const places = await placesWith(keyValues, id);
  const chunks = places.length === 0 ? [] : await chunksAt(keyValues, places.toSorted());
  return chunks.filter(({ destination }) => destinations.has(destination));
}

/** Yields the chunks that a search needs. Deliveries of a skipped chunk that have attempts in older ones are added to `passed`. */
async function* neededOf(
  chunks: AsyncIterable<Chunk>,
  isNeeded: (chunk: Chunk) => boolean,
  passed: Set<string>,
): AsyncGenerator<Chunk, void, undefined> {
  for await (const chunk of chunks) {
    if (isNeeded(chunk)) yield chunk;
    else for (const delivery of chunk.again) passed.add(passedKey(chunk.destination, delivery));
  }
}

const isFrom = (cursor: string | undefined, chunk: Chunk): boolean =>
  cursor === undefined || chunk.place >= chunkOf(cursor);

/** True if everything in the chunk is later than the filter allows. */
const isTooLate = ({ attemptedFrom, acceptedFrom }: Chunk, { by, to }: AttemptFilter): boolean =>
  to !== undefined && (by === 'acceptance' ? acceptedFrom : attemptedFrom) >= to;

const passedKey = (destination: string, delivery: string): string => `${delivery}/${destination}`;

async function* attemptsOf(
  keyValues: KeyValueStore,
  chunks: AsyncIterable<Chunk>,
  { user, from }: Needed,
): AsyncGenerator<FoundAttempt, void, undefined> {
  // In the text of a chunk, an id appears in its JSON form.
  const needle = user === undefined ? '' : JSON.stringify(user);
  for await (const page of pagesOf(chunks)) {
    const texts = await readChunks(keyValues, page);
    for (const [index, chunk] of page.entries()) {
      if (from !== undefined && writtenAt(chunk) < from) return;
      const text = texts[index];
      if (text === undefined || !text.includes(needle)) continue;
      yield* attemptsIn(chunk, text);
    }
    // Reading a chunk takes a millisecond, and a local store answers without yielding, so this gives other work a turn.
    await setImmediate();
  }
}

async function* pagesOf(chunks: AsyncIterable<Chunk>): AsyncGenerator<readonly Chunk[], void, undefined> {
  let [page, count]: [Chunk[], number] = [[], 1];
  for await (const chunk of chunks) {
    page.push(chunk);
    if (page.length < count) continue;
    yield page;
    [page, count] = [[], Math.min(2 * count, MOST_CHUNKS)];
  }
  if (page.length > 0) yield page;
}

/** Returns the chunk of a cursor. A cursor is the chunk's place and the number of newer attempts in that chunk. */
const chunkOf = (cursor: string): string => cursor.slice(0, Math.max(0, cursor.lastIndexOf('/')));

function* attemptsIn(chunk: Chunk, text: string): Generator<FoundAttempt, void, undefined> {
  const { destination, place } = chunk;
  for (const [index, attempt] of decodeAll(text).toReversed().entries())
    if (attempt !== null) yield { destination, attempt, cursor: `${place}/${String(index).padStart(3, '0')}` };
}

function fits(found: KeptAttempt, { id, user, event, endpoint, status, phase, by, from, to }: AttemptFilter): boolean {
  const { attempt, message } = found;
  const at = by === 'acceptance' ? found.acceptedAt : attempt.at;
  const named = isRecord(message) ? message : {};
  return (
    (id === undefined || isNamed(found, id)) &&
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
