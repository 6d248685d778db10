import type { DeadLetterFilter } from '../../destination/changes/delivery-filter.js';
import { MeantDeliveries } from '../../destination/changes/meant-deliveries.js';
import { KnownWebhooks } from '../../destination/endpoints/known-webhooks.js';
import type { EventStore } from '../../store/event-store.js';

/** Returns the number of dead deliveries from the counts that the store keeps; undefined if these cannot answer the filter. */
export async function countKept(store: EventStore, filter: DeadLetterFilter): Promise<number | undefined> {
  const meant = new MeantDeliveries(filter, await KnownWebhooks.of(store));
  return meant.countIn((await store.deadTotals()).deliveries);
}
