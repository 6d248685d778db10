import { newStates, type StoredEvent } from '../delivery/completion-rule.js';
import { eventId } from '../delivery/event-id.js';
import type { TakenIn } from '../store/intake.js';
import type { PreparedEvent } from './prepared-event.js';

/** What a store keeps of prepared events, each for those webhooks. */
export function storedEvents(
  preparedEvents: readonly PreparedEvent[],
  keys: readonly string[],
  now: number,
): StoredEvent[] {
  const urls = newStates(keys, now);
  return preparedEvents.map(({ id, type, body, origin, user }) => ({
    id: eventId(id, origin?.source),
    type,
    acceptedAt: now,
    urls,
    isDead: false,
    ...origin,
    bytes: body.length,
    ...(user !== undefined && { user }),
  }));
}

/** What became of prepared events at one of several destinations. */
export interface Arrived {
  /** Those that are new there, under the ids by which the store has them. */
  readonly fresh: readonly { readonly id: string; readonly body: Uint8Array }[];
  readonly duplicates: number;
}

/** @param place where the destination stands among the deliveries of each message */
export function arrivedAt(place: number, preparedEvents: readonly PreparedEvent[], taken: readonly TakenIn[]): Arrived {
  const fresh: { id: string; body: Uint8Array }[] = [];
  let duplicates = 0;
  for (const [index, { body }] of preparedEvents.entries()) {
    const ids = taken[index];
    // Of a message that its source has sent before nothing was stored, and nothing is told.
    if (ids === undefined || typeof ids === 'string') continue;
    const id = ids[place];
    if (id === undefined) duplicates++;
    else fresh.push({ id, body });
  }
  return { fresh, duplicates };
}
