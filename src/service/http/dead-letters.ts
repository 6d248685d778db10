import { cursorOf, placeOf } from '../../destination/cursor.js';
import type { DeadLetterFilter } from '../../destination/dead-letters.js';
import type { StoredEvent } from '../../destination/settle.js';
import { isMeant, shownUrl } from '../../destination/shown-url.js';
import type { Attempt, DeathReason } from '../../destination/state.js';
import type { Place, Store } from '../../destination/store.js';
import { iso } from './iso.js';
import { refusals } from './refusals.js';
import { MOST_ID_BYTES } from './target-limits.js';

/** An event and the webhooks that did not get it. */
export interface LetterReport {
  readonly id: string;
  readonly type: string;
  readonly acceptedAt: string;
  readonly endpoints: readonly {
    readonly url: string;
    readonly reason: DeathReason;
    readonly diedAt: string;
    readonly attempts: readonly AttemptReport[];
  }[];
}

export interface LetterPage {
  readonly letters: readonly LetterReport[];
  /** Where the next page begins; absent at the end. */
  readonly next?: string;
}

export type LetterFilter = Pick<DeadLetterFilter, 'endpoint' | 'type'>;

type AttemptReport = Omit<Attempt, 'at'> & { readonly at: string };

/** How many places are read at a time, and at most for one page: a filter that nothing fits must not read on and on. */
const PAGE = 256;
const MOST_READ = 10_000;

/** The dead letters for which the filter holds, from the one after `cursor`, those accepted first first. */
export async function listDeadLetters(
  store: Store,
  { limit, cursor, ...filter }: LetterFilter & { readonly limit: number; readonly cursor: string | undefined },
): Promise<LetterPage> {
  const letters: LetterReport[] = [];
  let after = cursor === undefined ? undefined : readCursor(cursor);
  for (let read = 0; read < MOST_READ; ) {
    const places = await store.dead(after, PAGE);
    for (const place of places) {
      const letter = reportOf(await store.event(place.id), filter);
      if (letter !== undefined) letters.push(letter);
      after = place;
      if (letters.length === limit) return { letters, next: cursorOf(place) };
    }
    read += places.length;
    if (places.length < PAGE) return { letters };
  }
  return after === undefined ? { letters } : { letters, next: cursorOf(after) };
}

/** How many deliveries the filter means. */
export async function countDeadLetters(store: Store, { endpoint, type }: LetterFilter): Promise<number> {
  const { deliveries } = await store.deadTotals();
  return deliveries
    .filter((counted) => isMeant(counted.url, endpoint) && (type === undefined || type === counted.type))
    .reduce((sum, { count }) => sum + count, 0);
}

export const attemptReport = ({ at, ...rest }: Attempt): AttemptReport => ({ at: iso(at), ...rest });

function reportOf(event: StoredEvent | undefined, { endpoint, type }: LetterFilter): LetterReport | undefined {
  if (event === undefined || !event.isDead || (type !== undefined && type !== event.type)) return undefined;
  const endpoints = Object.entries(event.urls).flatMap(([url, state]) => {
    if (state.phase !== 'dead' || !isMeant(url, endpoint)) return [];
    const { reason, at, history } = state;
    return [{ url: shownUrl(url), reason, diedAt: iso(at), attempts: history.map(attemptReport) }];
  });
  if (endpoints.length === 0) return undefined;
  return { id: event.id, type: event.type, acceptedAt: iso(event.acceptedAt), endpoints };
}

function readCursor(cursor: string): Place {
  const place = placeOf(cursor);
  if (place === undefined || Buffer.byteLength(place.id) > MOST_ID_BYTES)
    throw refusals.invalidQuery('after', 'the `next` of an answer');
  return place;
}
