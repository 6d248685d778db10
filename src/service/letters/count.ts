import type { DeadLetterFilter } from '../../destination/dead-letters.js';
import { KnownWebhooks } from '../../destination/known-webhooks.js';
import type { EventStore } from '../../store/event-store.js';

/** The number of dead deliveries, from kept counts, which know no ids and times. */
export async function countDeadLetters(
  store: EventStore,
  { endpoint, type, reason }: Pick<DeadLetterFilter, 'endpoint' | 'type' | 'reason'>,
): Promise<number> {
  const known = await KnownWebhooks.of(store);
  const { deliveries } = await store.deadTotals();
  return deliveries
    .filter((dead) => type === undefined || type === dead.type)
    .filter((dead) => reason === undefined || reason === dead.reason)
    .filter(({ url }) => known.isMeant(url, endpoint))
    .reduce((sum, { count }) => sum + count, 0);
}
