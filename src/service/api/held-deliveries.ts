import { setImmediate } from 'node:timers/promises';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import { sourcedId } from '../../delivery/event-names.js';
import type { Dead, Waiting } from '../../delivery/state.js';
import { letterKeys } from '../../destination/changes/dead-letters.js';
import { MeantDeliveries } from '../../destination/changes/meant-deliveries.js';
import {
  isWaitingCursor,
  type WaitingKey,
  waitingCursorOf,
  waitingKeys,
} from '../../destination/changes/waiting-deliveries.js';
import { KnownWebhooks } from '../../destination/endpoints/known-webhooks.js';
import { shownUrl } from '../../destination/sending/shown-url.js';
import type { EventStore, QueueKey } from '../../store/event-store.js';
import { cursorOf, queueKeyOf } from '../../store/queue-key.js';
import { countDeadLetters } from '../letters/count.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { AdminApi } from './admin-api.js';
import type { DeliveryCount, DeliveryFilter, DeliveryReport } from './delivery-answers.js';
import {
  type ListedDelivery,
  type ListedPage,
  lastAttempt,
  messageOf,
  namesIn,
  WEBHOOK_KEY,
} from './delivery-report.js';
import { iso } from './iso.js';
import { storeFilter } from './query-filter.js';
import { refusals } from './refusals.js';
import { MOST_ID_BYTES } from './request-target.js';

/** How many keys are read at a time, and at most for one page, so that a filter that matches nothing does not read everything. */
const PAGE = 256;
const MOST_READ = 10_000;

export interface HeldSearch extends DeliveryFilter {
  readonly phase: 'dead' | 'waiting';
  readonly limit: number;
  readonly after: string | undefined;
}

/** The place where a page continues: a destination, and a cursor among its keys. */
type PagePlace = readonly [destination: string, cursor: string | null];

/** The matching deliveries of one event. */
interface FoundEvent {
  readonly event: StoredEvent;
  readonly partition: number | undefined;
  readonly states: readonly (readonly [webhook: string, state: Dead | Waiting])[];
  /** True when the delivery does not wait for another delivery of its user. */
  readonly isDue: boolean;
  /** The place from which a page that begins with this event has to continue. */
  readonly before: PagePlace;
}

/** The result of reading one batch of keys. */
interface Read {
  readonly managed: ManagedDestination;
  readonly meant: MeantDeliveries;
  readonly keys: number;
  readonly found: readonly FoundEvent[];
  readonly end: PagePlace;
}

/** Lists the matching dead letters or waiting deliveries, one destination after the other. */
export async function listHeld(api: AdminApi, { limit, after, ...search }: HeldSearch): Promise<ListedPage> {
  const begin = after === undefined ? undefined : placeOf(after, search.phase);
  // All deliveries of one id are on the same page, because a page could not begin in the middle of them.
  const most = search.id === undefined ? limit : Number.POSITIVE_INFINITY;
  const deliveries: ListedDelivery[] = [];
  let read = 0;
  for await (const { managed, meant, keys, found, end } of readFrom(api, search, begin)) {
    for (const each of found) {
      const isFull = deliveries.length > 0 && deliveries.length + each.states.length > most;
      if (isFull) return { deliveries, next: textOf(each.before, search.phase) };
      deliveries.push(...(await reportsOf(api, managed, meant, each)));
    }
    read += keys;
    if (read >= MOST_READ) return { deliveries, next: textOf(end, search.phase) };
    // Reads may complete without yielding, so this gives other work a turn.
    await setImmediate();
  }
  return { deliveries };
}

/** Counts the matching dead letters. An event counts once for each webhook that gave it up. */
export async function countHeld(api: AdminApi, filter: DeliveryFilter): Promise<DeliveryCount> {
  const counting = { read: 0 };
  let deliveries = 0;
  for (const managed of destinationsOf(api, filter.destination)) {
    if (!(await hasAny(managed, 'dead'))) continue;
    for (const meant of await filtersAt(api, managed, filter)) {
      const count = await countDeadLetters(managed.store, meant, counting);
      deliveries += count.deliveries;
      if (count.hasMore) return { deliveries, hasMore: true };
    }
  }
  return { deliveries };
}

/** Returns the configured and the removed destinations, ordered by name. */
const destinationsOf = (api: AdminApi, name: string | undefined): readonly ManagedDestination[] =>
  api.managedDestinations
    .all()
    .filter((managed) => name === undefined || managed.name === name)
    .sort((one, other) => (one.name < other.name ? -1 : 1));

async function* readFrom(
  api: AdminApi,
  { phase, ...filter }: Omit<HeldSearch, 'limit' | 'after'>,
  [first = '', cursor]: PagePlace | readonly [] = [],
): AsyncGenerator<Read, void, undefined> {
  for (const managed of destinationsOf(api, filter.destination)) {
    if (managed.name < first || !(await hasAny(managed, phase))) continue;
    const after = managed.name === first ? (cursor ?? undefined) : undefined;
    for (const given of await filtersAt(api, managed, filter)) {
      const meant = new MeantDeliveries(given, await KnownWebhooks.of(managed.store));
      yield* phase === 'dead' ? readAt(managed, meant, DEAD, after) : readAt(managed, meant, WAITING, after);
    }
  }
}

/** Checks whether a destination has anything to list, because among many destinations most have nothing and need no search. */
const hasAny = async ({ store, destination }: ManagedDestination, phase: HeldSearch['phase']): Promise<boolean> =>
  phase === 'dead' ? (await store.deadTotals()).events > 0 : destination.waiting > 0;

/** Makes the filters for an id, which may be an event's or a message's. A message needs one for each source that sent it. */
async function filtersAt(
  api: AdminApi,
  { name }: ManagedDestination,
  filter: DeliveryFilter,
): Promise<ReturnType<typeof storeFilter>[]> {
  const given = storeFilter(filter);
  const { id } = filter;
  if (id === undefined) return [given];
  const sources = api.config().sources.filter(({ destinations }) => destinations.includes(name));
  const names = sources.map((source) => source.name);
  const senders = await api.storage.sendersOf(id, names, api.clock.now());
  return [given, ...senders.map((source) => ({ ...given, id: sourcedId(id, source) }))];
}

/** How a store lists the deliveries in one state: dead letters or waiting deliveries. */
interface HeldKind<K extends QueueKey> {
  keys(store: EventStore, meant: MeantDeliveries, cursor: string | undefined): AsyncIterable<readonly K[]>;
  cursorOf(key: K): string;
  statesIn(event: StoredEvent, meant: MeantDeliveries, key: K): [webhook: string, state: Dead | Waiting][];
  isDue(key: K): boolean;
}

const DEAD: HeldKind<QueueKey> = {
  keys: (store, meant, cursor) => letterKeys(store, meant, cursor === undefined ? undefined : queueKeyOf(cursor), PAGE),
  cursorOf,
  statesIn: (event, meant) => meant.in(event),
  isDue: () => false,
};

const WAITING: HeldKind<WaitingKey> = {
  keys: (store, meant, cursor) => waitingKeys(store, meant, cursor, PAGE),
  cursorOf: waitingCursorOf,
  statesIn: (event, meant, { webhook }) => meant.waitingIn(event).filter(([key]) => key === webhook),
  isDue: ({ position }) => position !== 'behind',
};

async function* readAt<K extends QueueKey>(
  managed: ManagedDestination,
  meant: MeantDeliveries,
  kind: HeldKind<K>,
  after: string | undefined,
): AsyncGenerator<Read, void, undefined> {
  const { store, name } = managed;
  let before = after;
  for await (const keys of kind.keys(store, meant, after)) {
    const events = await meant.read(store, keys);
    const found: FoundEvent[] = [];
    for (const [index, key] of keys.entries()) {
      const event = events[index];
      const states = event === undefined ? [] : kind.statesIn(event, meant, key);
      if (event !== undefined && states.length > 0)
        found.push({ event, partition: key.partition, states, isDue: kind.isDue(key), before: [name, before ?? null] });
      before = kind.cursorOf(key);
    }
    yield { managed, meant, keys: keys.length, found, end: [name, before ?? null] };
  }
}

async function reportsOf(
  api: AdminApi,
  managed: ManagedDestination,
  { known }: MeantDeliveries,
  { event, partition, states, isDue }: FoundEvent,
): Promise<ListedDelivery[]> {
  const { name, store } = managed;
  const { id, type, source, acceptedAt } = event;
  const names = namesIn(await messageOf(store, { id, partition }));
  return states.map(([key, state]) => {
    return {
      [WEBHOOK_KEY]: key,
      ...{ destination: name, id, type, ...names, source: source ?? null, acceptedAt: iso(acceptedAt) },
      webhook: { ...known.nameOf(key), url: shownUrl(known.urlOf(key)) },
      phase: state.phase,
      ...(state.phase === 'dead' && { reason: state.reason }),
      attempts: state.phase === 'retrying' ? state.attempts : state.history.length,
      ...lastAttempt(state.history.at(-1)),
      ...(state.phase === 'dead' ? { nextAttemptAt: null } : waitOf(api, managed, { ...state, key, isDue })),
    };
  });
}

/** Returns when a waiting delivery is tried next, and what holds it up. */
export function waitOf(
  { managedDestinations, switches }: Pick<AdminApi, 'managedDestinations' | 'switches'>,
  { name, destination }: Pick<ManagedDestination, 'name' | 'destination'>,
  { due, key, isDue = true }: Pick<Waiting, 'due'> & { readonly key: string; readonly isDue?: boolean },
): Pick<DeliveryReport, 'nextAttemptAt' | 'heldUpBy' | 'pausedBy'> {
  if (managedDestinations.removed.has(name)) return { nextAttemptAt: null, heldUpBy: 'removal' };
  const paused = switches.pausedBy(name);
  if (paused !== undefined) return { nextAttemptAt: null, heldUpBy: 'pause', pausedBy: paused.by };
  if (!isDue) return { nextAttemptAt: null, heldUpBy: 'order' };
  const openUntil = destination.openUntil(key);
  // No attempt begins while the circuit breaker is open.
  return openUntil > due ? { nextAttemptAt: iso(openUntil), heldUpBy: 'failures' } : { nextAttemptAt: iso(due) };
}

/** Returns the phase of the list that a `next` cursor belongs to; undefined for the list of recent attempts. */
export const phaseOf = (after: string): HeldSearch['phase'] | undefined =>
  (['waiting', 'dead'] as const).find((phase) => Buffer.from(after, 'base64url').toString().startsWith(`["${phase}"`));

/** The cursor includes the phase, because the keys of one list mean nothing in the other. */
const textOf = (place: PagePlace, phase: HeldSearch['phase']): string =>
  Buffer.from(JSON.stringify([phase, ...place])).toString('base64url');

function isCursor(text: string, phase: HeldSearch['phase']): boolean {
  const isOfPhase = phase === 'dead' || isWaitingCursor(text);
  const key = queueKeyOf(phase === 'dead' ? text : text.slice(text.lastIndexOf('.') + 1));
  return isOfPhase && key !== undefined && Buffer.byteLength(key.id) <= MOST_ID_BYTES;
}

function placeOf(text: string, phase: HeldSearch['phase']): PagePlace {
  try {
    const [of, name, cursor] = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (of === phase && typeof name === 'string' && (cursor === null || isCursor(String(cursor), phase)))
      return [name, cursor];
  } catch {
    // A text that cannot be parsed is refused below, like any other invalid cursor.
  }
  throw refusals.invalidQuery('after', `the \`next\` of an answer with \`phase=${phase}\``, text);
}
