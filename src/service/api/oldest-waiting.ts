import type { EventStore } from '../../store/event-store.js';

/** Retries are in order of their due times, so finding the oldest would mean reading all of them. This many are read. */
const RETRIES = 8;

/** An answer is reused for this long, in ms. */
const FRESH_MS = 5_000;

const found = new WeakMap<EventStore, { readonly at: number; readonly oldest: number | undefined }>();

/**
 * Finds when the oldest waiting delivery was accepted, in ms since 1970. First attempts are exact; of retries, only those are read that are
 * due next, so one due later may be older.
 */
export async function oldestWaiting(store: EventStore, now: number): Promise<number | undefined> {
  const known = found.get(store);
  if (known !== undefined && now - known.at < FRESH_MS) return known.oldest;
  const times = await Promise.all(
    (await store.backlog()).flatMap(({ url }) => [firstAt(store, url), retryAt(store, url)]),
  );
  const oldest = times.reduce((one, other) => (one === undefined || (other ?? one) < one ? other : one), undefined);
  found.set(store, { at: now, oldest });
  return oldest;
}

/** A delivery that was never tried has been due since the event was accepted. */
async function firstAt(store: EventStore, url: string): Promise<number | undefined> {
  const [first] = await store.waiting(url, 'first', undefined, 1);
  return first?.at;
}

async function retryAt(store: EventStore, url: string): Promise<number | undefined> {
  const keys = await store.waiting(url, 'retry', undefined, RETRIES);
  const events = await Promise.all(keys.map(({ id, partition }) => store.event(id, partition)));
  const times = events.flatMap((event) => event?.acceptedAt ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}
