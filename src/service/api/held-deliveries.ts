import { setImmediate } from 'node:timers/promises';
import { parseJson } from '../../base/text/decode.js';
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
import type { QueueKey } from '../../store/event-store.js';
import { cursorOf, queueKeyOf } from '../../store/queue-key.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { AdminApi } from './admin-api.js';
import type { DeliveryCount, DeliveryFilter, DeliveryReport } from './delivery-answers.js';
import {
  type DeliverySearch,
  deliveryKey,
  type ListedPage,
  lastAttempt,
  messageOf,
  namesIn,
} from './delivery-report.js';
import { iso } from './iso.js';
import { storeFilter } from './query-filter.js';
import { refusals } from './refusals.js';
import { MOST_ID_BYTES } from './request-target.js';

/** How many keys are read at a time, and at most for one page, so that a filter that matches nothing does not read everything. */
const PAGE = 256;
const MOST_READ = 10_000;

type Phase = 'dead' | 'waiting';

/** The place where a page continues: a destination, and a cursor among its keys. */
type PagePlace = readonly [destination: string, cursor: string | null];

/** A part of a search: what is meant at one destination, after a cursor among its keys. */
interface Part {
  readonly managed: ManagedDestination;
  readonly meant: MeantDeliveries;
  readonly after: string | undefined;
}

/** A dead letter's key or, with a webhook and a position, that of a waiting delivery. */
type HeldKey = QueueKey | WaitingKey;

/** The matching deliveries of the event at a key. */
interface Found {
  readonly key: HeldKey;
  readonly event: StoredEvent | undefined;
  readonly states: readonly (readonly [webhook: string, state: Dead | Waiting])[];
  /** The place from which a page that begins with this key has to continue. */
  readonly before: PagePlace;
}

/** Lists the matching dead letters or waiting deliveries, one destination after the other. */
export async function listHeld(
  api: AdminApi,
  phase: Phase,
  { limit, after, ...filter }: DeliverySearch,
): Promise<ListedPage> {
  const begin = after === undefined ? undefined : placeOf(after, phase);
  // All deliveries of one id are on the same page, because a page could not begin in the middle of them.
  const most = filter.id === undefined ? limit : Number.POSITIVE_INFINITY;
  const deliveries = new Map<string, DeliveryReport>();
  let read = 0;
  for await (const part of partsOf(api, phase, filter, begin))
    for await (const found of foundIn(part, phase)) {
      const isFull = deliveries.size > 0 && found.states.length > Math.max(0, most - deliveries.size);
      if (isFull || read >= MOST_READ) return { deliveries, next: textOf(found.before, phase) };
      for (const [key, report] of await reportsOf(api, part, found)) deliveries.set(key, report);
      read++;
    }
  return { deliveries };
}

/**
 * Counts the matching dead letters: from the counts that the store keeps if these can answer the filter, and otherwise one by one.
 * An event counts once for each webhook that gave it up.
 */
export async function countHeld(api: AdminApi, filter: DeliveryFilter): Promise<DeliveryCount> {
  let [deliveries, read] = [0, 0];
  for await (const part of partsOf(api, 'dead', filter)) {
    const kept = part.meant.countIn((await part.managed.store.deadTotals()).deliveries);
    deliveries += kept ?? 0;
    if (kept !== undefined) continue;
    for await (const { states } of foundIn(part, 'dead')) {
      if (read >= MOST_READ) return { deliveries, hasMore: true };
      deliveries += states.length;
      read++;
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

/** Yields the parts of a search at destinations that have anything to list. An id may stand for several events, each a part. */
async function* partsOf(
  api: AdminApi,
  phase: Phase,
  filter: DeliveryFilter,
  [first = '', cursor]: PagePlace | readonly [] = [],
): AsyncGenerator<Part, void, undefined> {
  const { id } = filter;
  const idsAt = id === undefined ? () => [undefined] : await eventIds(api, id);
  for (const managed of destinationsOf(api, filter.destination)) {
    if (managed.name < first || !(await hasAny(api, managed, phase))) continue;
    const after = managed.name === first ? (cursor ?? undefined) : undefined;
    for (const each of idsAt(managed.name)) {
      const known = await KnownWebhooks.of(managed.store);
      yield { managed, meant: new MeantDeliveries({ ...storeFilter(filter), id: each }, known), after };
    }
  }
}

async function* foundIn({ managed, meant, after }: Part, phase: Phase): AsyncGenerator<Found, void, undefined> {
  const { store, name } = managed;
  const dead = (): AsyncIterable<readonly HeldKey[]> =>
    letterKeys(store, meant, after === undefined ? undefined : queueKeyOf(after), PAGE);
  let before = after;
  for await (const keys of phase === 'dead' ? dead() : waitingKeys(store, meant, after, PAGE)) {
    const events = await meant.read(store, keys);
    for (const [index, key] of keys.entries()) {
      const event = events[index];
      const states = event === undefined ? [] : statesOf(event, meant, key);
      yield { key, event, states, before: [name, before ?? null] };
      before = isWaitingKey(key) ? waitingCursorOf(key) : cursorOf(key);
    }
    // Reads may complete without yielding, so this gives other work a turn.
    await setImmediate();
  }
}

const isWaitingKey = (key: HeldKey): key is WaitingKey => 'webhook' in key;

const statesOf = (event: StoredEvent, meant: MeantDeliveries, key: HeldKey): Found['states'] =>
  isWaitingKey(key) ? meant.waitingIn(event).filter(([webhook]) => webhook === key.webhook) : meant.in(event);

/** Checks whether a destination has anything to list, because among many destinations most have nothing and need no search. */
async function hasAny(
  { storage }: AdminApi,
  { store, destination }: ManagedDestination,
  phase: Phase,
): Promise<boolean> {
  if (phase === 'dead') return (await store.deadTotals()).events > 0;
  // Another process may have accepted events that this one has not counted yet.
  return storage.isShared || destination.waiting > 0;
}

/**
 * Finds the ids that the event of a message may have at each destination: the message id alone or with the source before it. Only
 * sources that have sent this id are considered, because all pairs of sources and destinations would be too many.
 *
 * @param tried sources that are known to have sent it
 */
export async function eventIds(
  { config, storage, clock }: AdminApi,
  id: string,
  tried: readonly (string | undefined)[] = [],
): Promise<(destination: string) => string[]> {
  const { sources } = config();
  const names = sources.map(({ name }) => name);
  const senders = new Set([...tried, ...(await storage.sendersOf(id, names, clock.now()))]);
  const sending = sources.filter(({ name }) => senders.has(name));
  return (destination) => {
    const feeding = sending.filter(({ destinations }) => destinations.includes(destination));
    return [id, ...feeding.map(({ name }) => sourcedId(id, name))];
  };
}

async function reportsOf(
  api: AdminApi,
  { managed, meant: { known } }: Part,
  { key, event, states }: Found,
): Promise<[deliveryKey: string, report: DeliveryReport][]> {
  if (event === undefined || states.length === 0) return [];
  const { id, type, source, acceptedAt } = event;
  const { name, store } = managed;
  const names = namesIn(await messageOf(store, { id, partition: key.partition }));
  // A delivery that is behind another of its user waits for that one.
  const isDue = !isWaitingKey(key) || key.position !== 'behind';
  const reportOf = ([webhook, state]: Found['states'][number]): DeliveryReport => ({
    ...{ destination: name, id, type, ...names, source: source ?? null, acceptedAt: iso(acceptedAt) },
    webhook: { ...known.nameOf(webhook), url: shownUrl(known.urlOf(webhook)) },
    phase: state.phase,
    ...(state.phase === 'dead' && { reason: state.reason }),
    attempts: state.phase === 'retrying' ? state.attempts : state.history.length,
    ...lastAttempt(state.history.at(-1)),
    ...(state.phase === 'dead' ? { nextAttemptAt: null } : waitOf(api, managed, { ...state, key: webhook, isDue })),
  });
  return states.map((each) => [deliveryKey(name, event, each[0]), reportOf(each)]);
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
export const phaseOf = (after: string): Phase | undefined =>
  (['waiting', 'dead'] as const).find((phase) => phase === decoded(after)[0]);

/** The cursor includes the phase, because the keys of one list mean nothing in the other. */
const textOf = (place: PagePlace, phase: Phase): string =>
  Buffer.from(JSON.stringify([phase, ...place])).toString('base64url');

function decoded(text: string): readonly unknown[] {
  const parts = parseJson(Buffer.from(text, 'base64url').toString());
  return Array.isArray(parts) ? parts : [];
}

function placeOf(text: string, phase: Phase): PagePlace {
  const [of, name, cursor] = decoded(text);
  const isCursor = cursor === null || (typeof cursor === 'string' && isCursorOf(phase, cursor));
  if (of === phase && typeof name === 'string' && isCursor) return [name, cursor];
  throw refusals.invalidQuery('after', `the \`next\` of an answer with \`phase=${phase}\``, text);
}

function isCursorOf(phase: Phase, text: string): boolean {
  const isOfPhase = phase === 'dead' || isWaitingCursor(text);
  const key = queueKeyOf(phase === 'dead' ? text : text.slice(text.lastIndexOf('.') + 1));
  return isOfPhase && key !== undefined && Buffer.byteLength(key.id) <= MOST_ID_BYTES;
}
