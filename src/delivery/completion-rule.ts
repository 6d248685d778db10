import type { EventType } from '../protocol/field-table.js';
import { accept, isWaiting, replay, type StoredState } from './state.js';

/**
 * When an event is finished. `any`: it is finished when one URL accepts it, and nothing is retried after that. `each`: the
 * delivery to every URL ends separately.
 */
export type SettleRule = 'any' | 'each';

/** The origin of an event, as far as it is known. */
export interface Origin {
  /** The sender, if several senders have separate ids. */
  readonly source?: string;
  /** The trace in which the event was accepted, in W3C's `traceparent` format. */
  readonly trace?: string;
}

/** An event in the form that a store keeps. Its body is stored separately. */
export interface StoredEvent extends Origin {
  /** The message's `messageId`; a delete notification is assigned one. */
  readonly id: string;
  readonly type: EventType;
  /** When the event was accepted, in ms since 1970. */
  readonly acceptedAt: number;
  /** The state of the delivery to each URL of the event. */
  readonly urls: Readonly<Record<string, StoredState>>;
  /** True while the event is a dead letter. */
  readonly isDead: boolean;
  /** The size of the event's body in bytes. */
  readonly bytes?: number;
  /** The key of the event's user, from `userKey`; absent if the message names none. */
  readonly user?: string;
  /**
   * The number of user deletions before the event was accepted; absent for 0. It tells whether the event came before a deletion,
   * independently of clocks.
   */
  readonly epoch?: number;
  /** At each URL the event waits for every earlier ordered event of the same `user` to end. */
  readonly isOrdered?: true;
}

/** The end of one event or, with the rule `each`, of its delivery to one URL. */
export interface EventEnd {
  /** `erased` means that the event's user was deleted while it waited. */
  readonly as: 'delivered' | 'dead' | 'erased';
  readonly urls: readonly string[];
}

/** The effect of a new state of one URL on the event. */
export interface CompletionStep {
  /** The new form of the event; undefined if nothing is left to do and it can be removed. */
  readonly event: StoredEvent | undefined;
  readonly ending: EventEnd | undefined;
  /** URLs that waited for another attempt, which is no longer needed. */
  readonly spared: readonly string[];
}

export const newEvent = (
  id: string,
  type: EventType,
  urls: readonly string[],
  now: number,
  { place = now, ...more }: Origin & Pick<StoredEvent, 'bytes' | 'user'> & { readonly place?: number } = {},
): StoredEvent => ({ id, type, acceptedAt: now, urls: newStates(urls, place), isDead: false, ...more });

/** Makes the initial states of an event with the given place in line. States are never changed, so the URLs can share one. */
export function newStates(urls: readonly string[], place: number): StoredEvent['urls'] {
  const state = accept(place);
  return Object.fromEntries(urls.map((url) => [url, state]));
}

/** Puts the new state of a URL into the event and returns the effect under the rule. */
export const advance = (event: StoredEvent, url: string, state: StoredState, rule: SettleRule): CompletionStep =>
  rule === 'each' ? advanceEach(event, url, state) : advanceAny(event, url, state);

function advanceEach(event: StoredEvent, url: string, state: StoredState): CompletionStep {
  const urls = { ...event.urls, [url]: state };
  const isDead = Object.values(urls).some(({ phase }) => phase === 'dead');
  const isDone = Object.values(urls).every(({ phase }) => phase === 'delivered');
  const ending = isWaiting(state) ? undefined : { as: state.phase, urls: [url] };
  return { event: isDone ? undefined : { ...event, urls, isDead }, ending, spared: [] };
}

function advanceAny(event: StoredEvent, url: string, state: StoredState): CompletionStep {
  const wasDelivered = Object.values(event.urls).some(({ phase }) => phase === 'delivered');
  const urls = { ...event.urls, [url]: state };
  if (wasDelivered || state.phase === 'delivered') {
    const spared = Object.keys(urls).filter((other) => urls[other]?.phase === 'retrying');
    for (const other of spared) delete urls[other];
    // Every URL gets one attempt, as otherwise slower ones would receive almost nothing.
    const isDone = !Object.values(urls).some(({ phase }) => phase === 'pending');
    const ending = wasDelivered ? undefined : ({ as: 'delivered', urls: [url] } as const);
    return { event: isDone ? undefined : { ...event, urls, isDead: false }, ending, spared };
  }
  const isDead = Object.values(urls).every(({ phase }) => phase === 'dead');
  const ending = isDead ? ({ as: 'dead', urls: Object.keys(urls) } as const) : undefined;
  return { event: { ...event, urls, isDead }, ending, spared: [] };
}

/** Counts the ends that are still to come: with `any` one per event, with `each` one for every URL at which it waits. */
export function endingsLeft({ urls, isDead }: StoredEvent, rule: SettleRule): number {
  const states = Object.values(urls);
  if (rule === 'each') return states.filter(isWaiting).length;
  return isDead || states.some(({ phase }) => phase === 'delivered') ? 0 : 1;
}

/**
 * Restarts dead deliveries with that place in line. `moves` maps the URL of each to its target: the same URL, or one at which the
 * event neither waits nor was delivered.
 */
export function revive(
  event: StoredEvent,
  moves: ReadonlyMap<string, string>,
  place: number,
  rule: SettleRule,
): StoredEvent {
  const urls = { ...event.urls };
  for (const [from, to] of moves) {
    const state = urls[to] ?? urls[from];
    if (from !== to) delete urls[from];
    if (state !== undefined) urls[to] = replay(state, place);
  }
  const isDead = rule === 'each' && Object.values(urls).some(({ phase }) => phase === 'dead');
  return { ...event, urls, isDead };
}

/** Cancels waiting deliveries. Returns undefined if nothing of the event is left to deliver or to keep as a dead letter. */
export function cancel(event: StoredEvent, waiting: readonly string[]): StoredEvent | undefined {
  const left = Object.entries(event.urls).filter(([url]) => !waiting.includes(url));
  const states = left.map(([, state]) => state);
  const isOver = !event.isDead && !states.some(isWaiting);
  if (isOver && states.every(({ phase }) => phase !== 'dead')) return undefined;
  if (isOver && states.some(({ phase }) => phase === 'delivered')) return undefined;
  return { ...event, urls: Object.fromEntries(left), isDead: event.isDead || isOver };
}

/** Removes dead deliveries. Returns undefined if nothing is left of the event. */
export function discard(event: StoredEvent, dead: readonly string[]): StoredEvent | undefined {
  const left = Object.entries(event.urls).filter(([url]) => !dead.includes(url));
  if (left.every(([, { phase }]) => phase === 'delivered')) return undefined;
  return { ...event, urls: Object.fromEntries(left), isDead: left.some(([, { phase }]) => phase === 'dead') };
}
