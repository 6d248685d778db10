import type { Destination } from '../../destination/destination.js';
import type { EventStore } from '../../store/event-store.js';
import type { DestinationConfig } from '../config/service-config.js';

/** How many retries are read per webhook. Finding the oldest would mean reading all, because they are sorted by due time. */
const RETRIES = 8;

/** How long a result is reused, in ms. */
const FRESH_MS = 5_000;

/** Times of the deliveries that wait at a destination, in ms since 1970. */
export interface WaitingTimes {
  /** When the oldest waiting delivery was accepted; undefined while none waits. */
  readonly oldest: number | undefined;
  /** When the first waiting delivery becomes a dead letter if it does not succeed; undefined while none of them was tried. */
  readonly firstDeath: number | undefined;
}

interface WaitingEndpoint {
  readonly store: EventStore;
  readonly config: Pick<DestinationConfig, 'retryFor'>;
  readonly destination: Pick<Destination, 'endpoints'>;
}

const found = new WeakMap<EventStore, WaitingTimes & { readonly at: number }>();

/**
 * First attempts are exact. Of the retries, only those that are due next are read, and one that is due later may be older. So the
 * first death is computed from when the webhook began to fail, if that is less than `retryFor` ago.
 */
export async function waitingTimes(place: WaitingEndpoint, now: number): Promise<WaitingTimes> {
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

/** Returns the oldest first attempt of a webhook. A delivery that was never tried has been due since its event was accepted. */
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
