import { type DeadLetterFilter, letterKeys, MeantDeliveries } from '../../destination/dead-letters.js';
import { KnownWebhooks } from '../../destination/known-webhooks.js';
import type { EventStore } from '../../store/event-store.js';
import type { DeadLetterCount } from '../api/answers.js';

/** How many events are read at a time, and at most: a count must not read on and on. */
const PAGE = 256;
const MOST_READ = 10_000;

/** The number of dead deliveries: at once from kept counts, and one by one of a user or between two times, which these do not know. */
export async function countDeadLetters(
  store: EventStore,
  filter: Omit<DeadLetterFilter, 'id' | 'diedBefore'>,
): Promise<DeadLetterCount> {
  const known = await KnownWebhooks.of(store);
  if (filter.from !== undefined || filter.to !== undefined || filter.user !== undefined)
    return countOneByOne(store, new MeantDeliveries(filter, known));
  const { endpoint, type, reason } = filter;
  const { deliveries } = await store.deadTotals();
  const count = deliveries
    .filter((dead) => type === undefined || type === dead.type)
    .filter((dead) => reason === undefined || reason === dead.reason)
    .filter(({ url }) => known.isMeant(url, endpoint))
    .reduce((sum, dead) => sum + dead.count, 0);
  return { deliveries: count };
}

async function countOneByOne(store: EventStore, meant: MeantDeliveries): Promise<DeadLetterCount> {
  let [deliveries, read] = [0, 0];
  for await (const keys of letterKeys(store, meant, undefined, PAGE)) {
    if (read >= MOST_READ) return { deliveries, hasMore: true };
    const events = await Promise.all(keys.map(({ id, partition }) => store.event(id, partition)));
    for (const event of events) deliveries += event === undefined ? 0 : meant.in(event).length;
    read += keys.length;
  }
  return { deliveries };
}
