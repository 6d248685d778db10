import type { EventType } from '../protocol/field-table.js';
import { accept, isWaiting, replay, type StoredState } from './state.js';

/**
 * When an event is done. `any`: one URL that takes it settles it, and nothing more is tried again. `each`: every URL has
 * an end of its own.
 */
export type SettleRule = 'any' | 'each';

/** The origin of an event, as far as it is known. */
export interface Origin {
  /** The sender, where each of several senders has ids of its own. */
  readonly source?: string;
  /** The trace in which it was accepted, as W3C's `traceparent`. */
  readonly trace?: string;
}

/** An event as a store holds it; its body lies beside it. */
export interface StoredEvent extends Origin {
  /** The message's `messageId`; a delete notification is given one. */
  readonly id: string;
  readonly type: EventType;
  /** In ms since 1970. */
  readonly acceptedAt: number;
  /** One state for each URL the event is for. */
  readonly urls: Readonly<Record<string, StoredState>>;
  /** True while it stands among the dead letters. */
  readonly isDead: boolean;
  /** The size of its body. */
  readonly bytes?: number;
  /** The user of the event, as `userKey` names users; left out where the message names none. */
  readonly user?: string;
  /**
   * The count of deletions of users as it was accepted; left out for none. So it is known whether it was accepted before a
   * deletion, whatever the clocks of processes say.
   */
  readonly epoch?: number;
  /** At each URL it waits until what was accepted before it of the same `user`, and is ordered too, has ended. */
  readonly isOrdered?: true;
}

/** The end of one event, or, with the rule `each`, of one event at one URL. */
export interface Ending {
  /** `erased`: its user was deleted while it waited. */
  readonly as: 'delivered' | 'dead' | 'erased';
  readonly urls: readonly string[];
}

/** The effect of a new state of one URL on the event. */
export interface Step {
  /** The event from now on; undefined when all is done and it can be forgotten. */
  readonly event: StoredEvent | undefined;
  readonly ending: Ending | undefined;
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

/** Makes the states with which an event begins, at that place in line. No state is ever changed, so that the URLs may share one. */
export function newStates(urls: readonly string[], place: number): StoredEvent['urls'] {
  const state = accept(place);
  return Object.fromEntries(urls.map((url) => [url, state]));
}

/** Applies the rule on top of the states: puts the URL's new state into the event and says whether that ended anything. */
export const advance = (event: StoredEvent, url: string, state: StoredState, rule: SettleRule): Step =>
  rule === 'each' ? advanceEach(event, url, state) : advanceAny(event, url, state);

function advanceEach(event: StoredEvent, url: string, state: StoredState): Step {
  const urls = { ...event.urls, [url]: state };
  const isDead = Object.values(urls).some(({ phase }) => phase === 'dead');
  const isDone = Object.values(urls).every(({ phase }) => phase === 'delivered');
  const ending = isWaiting(state) ? undefined : { as: state.phase, urls: [url] };
  return { event: isDone ? undefined : { ...event, urls, isDead }, ending, spared: [] };
}

function advanceAny(event: StoredEvent, url: string, state: StoredState): Step {
  const wasDelivered = Object.values(event.urls).some(({ phase }) => phase === 'delivered');
  const urls = { ...event.urls, [url]: state };
  if (wasDelivered || state.phase === 'delivered') {
    const spared = Object.keys(urls).filter((other) => urls[other]?.phase === 'retrying');
    for (const other of spared) delete urls[other];
    // Every URL is tried once: one that is slower than another would else see next to nothing.
    const isDone = !Object.values(urls).some(({ phase }) => phase === 'pending');
    const ending = wasDelivered ? undefined : ({ as: 'delivered', urls: [url] } as const);
    return { event: isDone ? undefined : { ...event, urls, isDead: false }, ending, spared };
  }
  const isDead = Object.values(urls).every(({ phase }) => phase === 'dead');
  const ending = isDead ? ({ as: 'dead', urls: Object.keys(urls) } as const) : undefined;
  return { event: { ...event, urls, isDead }, ending, spared: [] };
}

/** Counts the endings that are still to come: with `any` one for the event, with `each` one for every URL at which it waits. */
export function endingsLeft({ urls, isDead }: StoredEvent, rule: SettleRule): number {
  const states = Object.values(urls);
  if (rule === 'each') return states.filter(isWaiting).length;
  return isDead || states.some(({ phase }) => phase === 'delivered') ? 0 : 1;
}

/** Makes dead deliveries begin anew, at that place in line, each at a URL: its own, or one that has not got the event and does not wait for it. */
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

/** Lets go of deliveries that wait; undefined when nothing is left of the event to be done or to be kept as a dead letter. */
export function cancel(event: StoredEvent, waiting: readonly string[]): StoredEvent | undefined {
  const left = Object.entries(event.urls).filter(([url]) => !waiting.includes(url));
  const states = left.map(([, state]) => state);
  const isOver = !event.isDead && !states.some(isWaiting);
  if (isOver && states.every(({ phase }) => phase !== 'dead')) return undefined;
  if (isOver && states.some(({ phase }) => phase === 'delivered')) return undefined;
  return { ...event, urls: Object.fromEntries(left), isDead: event.isDead || isOver };
}

/** Lets go of dead deliveries; undefined when nothing is left of the event. */
export function discard(event: StoredEvent, dead: readonly string[]): StoredEvent | undefined {
  const left = Object.entries(event.urls).filter(([url]) => !dead.includes(url));
  if (left.every(([, { phase }]) => phase === 'delivered')) return undefined;
  return { ...event, urls: Object.fromEntries(left), isDead: left.some(([, { phase }]) => phase === 'dead') };
}
