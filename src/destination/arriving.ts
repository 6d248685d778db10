import { newStates, type StoredEvent } from '../delivery/completion-rule.js';
import { eventId } from '../delivery/event-id.js';
import type { EventStore } from '../store/event-store.js';
import type { TakenIn } from '../store/intake.js';
import type { DueItem } from '../store/line.js';
import type { PreparedEvent } from './prepared-event.js';

/** What a store is to keep of a prepared event. */
export interface NewEvent {
  readonly event: StoredEvent;
  /** When its first attempts are due. */
  readonly at: number;
  /** Where the store is in partitions, in which it will be. */
  readonly partition?: number | undefined;
  readonly body: Uint8Array;
}

/** What the store is to keep of prepared events, each for those webhooks, in their order. */
export function newEventsOf(
  preparedEvents: readonly PreparedEvent[],
  keys: readonly string[],
  now: number,
  {
    store,
    isOrdered,
    epoch = 0,
  }: { store: Pick<EventStore, 'placeFor' | 'partitionOf'>; isOrdered: boolean; epoch?: number },
): NewEvent[] {
  return preparedEvents.map(({ id, type, body, origin, user }) => {
    const at = store.placeFor?.(now) ?? now;
    const event: StoredEvent = {
      id: eventId(id, origin?.source),
      type,
      acceptedAt: now,
      urls: newStates(keys, at),
      isDead: false,
      ...origin,
      bytes: body.length,
      ...(user !== undefined && { user }),
      ...(epoch > 0 && { epoch }),
      ...(isOrdered && user !== undefined && { isOrdered }),
    };
    return { event, at, body, partition: store.partitionOf?.(event) };
  });
}

/** An event that is new at a destination. */
export interface Fresh {
  readonly item: DueItem & { readonly body: Uint8Array };
  readonly isOrdered: boolean;
}

/** What became of new events at one of several destinations. */
export interface Arrived {
  /** Those that are new there, under the ids by which the store has them. */
  readonly fresh: readonly Fresh[];
  readonly duplicates: number;
}

/** @param place where the destination stands among the deliveries of each message */
export function arrivedAt(place: number, newEvents: readonly NewEvent[], taken: readonly TakenIn[]): Arrived {
  const fresh: Fresh[] = [];
  let duplicates = 0;
  for (const [index, { event, at, body, partition }] of newEvents.entries()) {
    const ids = taken[index];
    // Of a message that its source has sent before nothing was stored, and nothing is told.
    if (ids === undefined || typeof ids === 'string') continue;
    const id = ids[place];
    if (id === undefined) duplicates++;
    else fresh.push({ item: { at, id, body, partition, epoch: event.epoch }, isOrdered: event.isOrdered === true });
  }
  return { fresh, duplicates };
}
