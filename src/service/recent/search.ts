import { shownUrl } from '../../destination/shown-url.js';
import { isRecord } from '../../protocol/is.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import { type Chunk, chunksOf, readChunks, writtenAt } from './chunks.js';
import { decodeAll, type RecentAttempt } from './recent-attempt.js';

/** Which deliveries: those for which all of it holds. */
export interface RecentFilter {
  readonly id?: string | undefined;
  readonly user?: string | undefined;
  readonly event?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly status?: string | undefined;
  readonly phase?: string | undefined;
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

/** So many chunks are read at a time. */
const PAGE = 4;

/** The last attempts of those deliveries, newest first: a delivery that was tried several times comes once. */
export async function* latest(
  keyValues: KeyValueStore,
  destinations: readonly string[],
  { filter, after }: { readonly filter: RecentFilter; readonly after: string | undefined },
): AsyncGenerator<Found, void, undefined> {
  const seen = new Set<string>();
  for await (const found of attempts(keyValues, destinations, filter)) {
    const { destination, attempt, cursor } = found;
    const delivery = JSON.stringify([destination, attempt.id, attempt.key]);
    const isLatest = !seen.has(delivery);
    seen.add(delivery);
    // What the cursor names may have been removed meanwhile, so places are compared.
    if ((after === undefined || compare(cursor, after) > 0) && isLatest && fits(attempt, filter)) yield found;
  }
}

/** Every attempt that is kept, newest first. Those of which a filter asks for an id it does not have may be left out. */
export async function* attempts(
  keyValues: KeyValueStore,
  destinations: readonly string[],
  { id, user, from }: Pick<RecentFilter, 'id' | 'user' | 'from'> = {},
): AsyncGenerator<Found, void, undefined> {
  // Within the text of a chunk an id stands as JSON has it.
  const needles = [id, user].flatMap((text) => (text === undefined ? [] : [JSON.stringify(text).slice(1, -1)]));
  const chunks = (await Promise.all(destinations.map((name) => chunksOf(keyValues, name)))).flat();
  chunks.sort((one, other) => compare(placeOf(one), placeOf(other)));
  for (let at = 0; at < chunks.length; at += PAGE) {
    const page = chunks.slice(at, at + PAGE);
    const texts = await readChunks(keyValues, page);
    for (const [index, chunk] of page.entries()) {
      if (from !== undefined && writtenAt(chunk) < from) return;
      const text = texts[index];
      if (text === undefined || !needles.every((needle) => text.includes(needle))) continue;
      yield* attemptsIn(chunk, text);
    }
  }
}

const placeOf = ({ place, destination }: Chunk): string => `${place}/${destination}`;

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function* attemptsIn(chunk: Chunk, text: string): Generator<Found, void, undefined> {
  const { destination } = chunk;
  for (const [index, attempt] of decodeAll(text).toReversed().entries())
    if (attempt !== null) yield { destination, attempt, cursor: `${placeOf(chunk)}/${String(index).padStart(3, '0')}` };
}

function fits(found: RecentAttempt, { id, user, event, endpoint, status, phase, from, to }: RecentFilter): boolean {
  const { attempt, message } = found;
  const named = isRecord(message) ? message : {};
  return (
    (id === undefined || found.id === id || named['messageId'] === id) &&
    (user === undefined || named['userId'] === user || named['anonymousId'] === user) &&
    (event === undefined || named['event'] === event || named['type'] === event) &&
    (endpoint === undefined || found.webhookId === endpoint || isPartOf(endpoint, found.url)) &&
    (status === undefined || hasEnded(found, status.toLowerCase())) &&
    (phase === undefined || found.phase === phase) &&
    (from === undefined || attempt.at >= from) &&
    (to === undefined || attempt.at < to)
  );
}

const isPartOf = (text: string, url: string): boolean =>
  url.includes(text) || (URL.canParse(text) && shownUrl(text) === url);

function hasEnded({ attempt: { status, code, result } }: RecentAttempt, asked: string): boolean {
  if (/^[1-5]xx$/.test(asked)) return status !== undefined && String(status)[0] === asked[0];
  return String(status) === asked || code?.toLowerCase() === asked || result === asked;
}
