import { OptionError } from '../errors.js';
import { EXPECTED_TIMESTAMP, type Timestamp, toIso } from '../messages/timestamp.js';
import type { DeliverableType } from './body.js';
import { eventId } from './event-id.js';
import type { StoredEvent } from './settle.js';
import { isMeant } from './shown-url.js';
import type { Attempt, DeathReason } from './state.js';
import type { Place, Store } from './store.js';

/** Which dead letters are meant: those for which everything given holds. */
export interface DeadLetterFilter {
  id?: string | undefined;
  /** The webhook's URL, whole or as the service's API shows it: with what is secret in it as `***`. */
  endpoint?: string | undefined;
  type?: DeliverableType | undefined;
  /** Accepted then or later. */
  from?: Timestamp | undefined;
  /** Accepted before then. */
  to?: Timestamp | undefined;
}

/** An event that one endpoint did not get and will not be sent again. */
export interface DeadLetter {
  id: string;
  type: DeliverableType;
  endpoint: string;
  /** In ms since 1970, as is `diedAt`. */
  acceptedAt: number;
  diedAt: number;
  reason: DeathReason;
  /** The latest attempts, oldest first. */
  attempts: readonly Attempt[];
}

const PAGE = 256;

/** The letters for which the filter holds, in the order in which they were accepted; read page by page. */
export async function* deadLetters(
  store: Store,
  filter: DeadLetterFilter,
): AsyncGenerator<DeadLetter, void, undefined> {
  for await (const event of deadEvents(store, filter)) yield* lettersOf(event, filter);
}

/** The events with such letters. */
export async function* deadEvents(
  store: Store,
  filter: DeadLetterFilter,
): AsyncGenerator<StoredEvent, void, undefined> {
  const from = momentOf('from', filter.from) ?? 0;
  const to = momentOf('to', filter.to) ?? Number.POSITIVE_INFINITY;
  for await (const { id, at } of deadPlaces(store, filter.id, from)) {
    if (at >= to) return;
    const event = await store.event(id);
    if (event?.isDead && at >= from && lettersOf(event, filter).length > 0) yield event;
  }
}

async function* deadPlaces(store: Store, id: string | undefined, from: number): AsyncGenerator<Place, void, undefined> {
  if (id !== undefined) {
    const event = await eventOf(store, id);
    if (event !== undefined) yield { at: event.acceptedAt, id: event.id };
    return;
  }
  for (let after: Place | undefined = { at: from, id: '' }; after !== undefined; ) {
    const page: Place[] = await store.dead(after, PAGE);
    yield* page;
    after = page.length < PAGE ? undefined : page.at(-1);
  }
}

/** The event of that id, which is one the store has, or a message's own. */
export const eventOf = async (store: Store, id: string): Promise<StoredEvent | undefined> =>
  (await store.event(id)) ?? store.event(eventId(id, undefined));

function lettersOf(event: StoredEvent, filter: DeadLetterFilter): DeadLetter[] {
  if (filter.type !== undefined && filter.type !== event.type) return [];
  const { id, type, acceptedAt } = event;
  return Object.entries(event.urls).flatMap(([endpoint, state]) => {
    if (state.phase !== 'dead' || !isMeant(endpoint, filter.endpoint)) return [];
    const { at: diedAt, reason, history: attempts } = state;
    return [{ id, type, endpoint, acceptedAt, diedAt, reason, attempts }];
  });
}

function momentOf(option: string, given: Timestamp | undefined): number | undefined {
  if (given === undefined) return undefined;
  const iso = toIso(given);
  if (iso === undefined) throw new OptionError(option, EXPECTED_TIMESTAMP, 'something else');
  return Date.parse(iso);
}
