import type { Destination } from '../../destination/destination.js';
import type { EventStore } from '../../store/event-store.js';
import type { DestinationConfig } from '../config/service-config.js';

/** Retries are ordered by when they are due, so finding the oldest would mean reading all of them. Only this many are read. */
const RETRIES = 8;

/** An answer is reused for this long, in ms. */
const FRESH_MS = 5_000;

/** Times of the deliveries that wait at a destination, in ms since 1970. */
export interface WaitingTimes {
  /** When the oldest was accepted; undefined while none waits. */
  readonly oldest: number | undefined;
  /** When the first becomes a dead letter unless it succeeds before; undefined while none that waits was tried. */
  readonly firstDeath: number | undefined;
}

interface Place {
  readonly store: EventStore;
  readonly config: Pick<DestinationConfig, 'retryFor'>;
  readonly destination: Pick<Destination, 'endpoints'>;
}

const found = new WeakMap<EventStore, WaitingTimes & { readonly at: number }>();

/**
 * First attempts are exact; of retries, only those are read that are due next. One that is due later may be older, so the first to die is
 * taken to be as old as the failures of its webhook, where that is less than the time for which deliveries are tried.
 */
export async function waitingTimes(place: Place, now: number): Promise<WaitingTimes> {
  const { store, config, destination } = place;
  const known = found.get(store);
  if (known !== undefined && now - known.at < FRESH_MS) return known;
  const backlog = await store.backlog();
  const firsts = await Promise.all(backlog.map(({ url }) => firstAt(store, url)));
  const retries = (await Promise.all(backlog.map(({ url }) => retriesAt(store, url)))).flat();
  const failing = retries.length === 0 ? [] : destination.endpoints().flatMap(({ failingSince }) => failingSince ?? []);
  const deaths = [...failing, ...retries.map(({ firstAttemptAt }) => firstAttemptAt)].map((at) => at + config.retryFor);
  const times = {
    oldest: least([...firsts.flat(), ...retries.map(({ acceptedAt }) => acceptedAt)]),
    firstDeath: least(deaths.filter((at) => at > now)),
  };
  found.set(store, { ...times, at: now });
  return times;
}

const least = (times: readonly number[]): number | undefined => (times.length === 0 ? undefined : Math.min(...times));

/** A delivery that was never tried has been due since the event was accepted. */
const firstAt = async (store: EventStore, url: string): Promise<readonly number[]> =>
  (await store.waiting(url, 'first', undefined, 1)).map(({ at }) => at);

async function retriesAt(
  store: EventStore,
  url: string,
): Promise<{ readonly acceptedAt: number; readonly firstAttemptAt: number }[]> {
  const keys = await store.waiting(url, 'retry', undefined, RETRIES);
  const events = await Promise.all(keys.map(({ id, partition }) => store.event(id, partition)));
  return events.flatMap((event) => {
    const state = event?.urls[url];
    return event === undefined || state?.phase !== 'retrying'
      ? []
      : [{ acceptedAt: event.acceptedAt, firstAttemptAt: state.firstAttemptAt }];
  });
}
