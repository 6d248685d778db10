import type { StoredEvent } from '../../delivery/completion-rule.js';
import { eventId } from '../../delivery/event-names.js';
import type { Attempt, DeathReason } from '../../delivery/state.js';
import type { EventType } from '../../protocol/field-table.js';
import type { EventStore, QueueKey } from '../../store/event-store.js';
import { eventKeyOf } from '../../store/queue-key.js';
import { type EndpointName, KnownWebhooks } from '../endpoints/known-webhooks.js';
import type { DeadLetterFilter } from './delivery-filter.js';
import { MeantDeliveries } from './meant-deliveries.js';

/** An event that one endpoint did not receive and that is no longer retried there. */
export interface DeadLetter extends EndpointName {
  id: string;
  type: EventType;
  /** Milliseconds since 1970, like `diedAt`. */
  acceptedAt: number;
  diedAt: number;
  reason: DeathReason;
  /** The latest attempts, oldest first. */
  attempts: readonly Attempt[];
}

const PAGE = 256;

/**
 * Yields the dead letters that match the filter, in the order in which their events were accepted. They are read page by page.
 */
export async function* deadLetters(
  store: EventStore,
  filter: DeadLetterFilter,
): AsyncGenerator<DeadLetter, void, undefined> {
  const meant = new MeantDeliveries(filter, await KnownWebhooks.of(store));
  for await (const keys of letterKeys(store, meant, undefined, PAGE)) {
    for (const event of await meant.read(store, keys)) {
      if (event === undefined) continue;
      const { id, type, acceptedAt } = event;
      for (const [key, { at: diedAt, reason, history: attempts }] of meant.in(event))
        yield { id, type, ...meant.known.endpointOf(key), acceptedAt, diedAt, reason, attempts };
    }
  }
}

/** Yields pages of the keys at which matching dead letters may be. */
export async function* letterKeys(
  store: EventStore,
  meant: MeantDeliveries,
  from: QueueKey | undefined,
  size: number,
): AsyncGenerator<readonly QueueKey[], void, undefined> {
  if (meant.id !== undefined) {
    const event = await eventOf(store, meant.id);
    if (event !== undefined) yield [{ at: event.acceptedAt, ...eventKeyOf(store, event) }];
    return;
  }
  const partitions = meant.partitionsOf(store);
  let after: QueueKey | undefined = from ?? { at: meant.from, id: '' };
  while (after !== undefined) {
    const page: QueueKey[] = await store.dead(after, size, partitions);
    const within = page.filter(({ at }) => at < meant.to);
    if (within.length > 0) yield within;
    after = within.length < size ? undefined : page.at(-1);
  }
}

/** Finds an event by the id that the store uses or by the `messageId` of its message. */
export async function eventOf(store: EventStore, id: string): Promise<StoredEvent | undefined> {
  const event = await store.event(id);
  const other = eventId(id, undefined);
  return event === undefined && other !== id ? store.event(other) : event;
}
