import { setImmediate } from 'node:timers/promises';
import { letterKeys } from '../../destination/changes/dead-letters.js';
import type { DeadLetterFilter } from '../../destination/changes/delivery-filter.js';
import { MeantDeliveries } from '../../destination/changes/meant-deliveries.js';
import { KnownWebhooks } from '../../destination/endpoints/known-webhooks.js';
import type { EventStore } from '../../store/event-store.js';
import type { DeliveryCount } from '../api/delivery-answers.js';

/** The number of events that are read at a time, and the maximum in total, because a count must not read without end. */
const PAGE = 256;
const MOST_READ = 10_000;

/** The work done so far. Several counts share it to stay below one limit. */
export interface Counting {
  /** The number of events that were read one by one. */
  read: number;
}

/** Returns the number of dead deliveries from the counts that the store keeps; undefined if these cannot answer the filter. */
export async function countKept(store: EventStore, filter: DeadLetterFilter): Promise<number | undefined> {
  const meant = new MeantDeliveries(filter, await KnownWebhooks.of(store));
  return meant.countIn((await store.deadTotals()).deliveries);
}

/** Counts dead deliveries: from the counts that the store keeps if these can answer the filter, and otherwise one by one. */
export async function countDeadLetters(
  store: EventStore,
  filter: DeadLetterFilter,
  counting: Counting = { read: 0 },
): Promise<DeliveryCount> {
  const meant = new MeantDeliveries(filter, await KnownWebhooks.of(store));
  const kept = meant.countIn((await store.deadTotals()).deliveries);
  if (kept !== undefined) return { deliveries: kept };
  let deliveries = 0;
  for await (const keys of letterKeys(store, meant, undefined, PAGE)) {
    if (counting.read >= MOST_READ) return { deliveries, hasMore: true };
    for (const event of await meant.read(store, keys)) deliveries += event === undefined ? 0 : meant.in(event).length;
    counting.read += keys.length;
    // Reads may complete without yielding, so this gives other work a turn.
    await setImmediate();
  }
  return { deliveries };
}
