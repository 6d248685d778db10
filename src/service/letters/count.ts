import { setImmediate } from 'node:timers/promises';
import { letterKeys } from '../../destination/changes/dead-letters.js';
import type { DeadLetterFilter } from '../../destination/changes/delivery-filter.js';
import { MeantDeliveries } from '../../destination/changes/meant-deliveries.js';
import { KnownWebhooks } from '../../destination/endpoints/known-webhooks.js';
import type { EventStore } from '../../store/event-store.js';
import type { DeliveryCount } from '../api/delivery-answers.js';

/** The number of events that are read at a time, and the most that are read in all: a count must not read on and on. */
const PAGE = 256;
const MOST_READ = 10_000;

/** The work of a count, which several counts share. */
export interface Counting {
  /** The number of events that were read one by one. */
  read: number;
}

/** The number of dead deliveries by kept counts; undefined with a filter that these do not know. */
export async function countKept(store: EventStore, filter: DeadLetterFilter): Promise<number | undefined> {
  const meant = new MeantDeliveries(filter, await KnownWebhooks.of(store));
  return meant.countIn((await store.deadTotals()).deliveries);
}

/** The number of dead deliveries: at once from kept counts, and one by one with a filter that these do not know. */
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
    // Reads may complete without giving other work a turn.
    await setImmediate();
  }
  return { deliveries };
}
