import { eventId, sourcedId } from '../../delivery/event-names.js';
import type { EventStore } from '../event-store.js';
import type { Intake, TakenIn } from '../storage.js';
import { RedisFailedError } from '../store-errors.js';
import type { PlaceOf } from './partitions.js';
import { RedisStore } from './redis-store.js';
import type { SharedParts, StorePart } from './store-part.js';

/**
 * Stores new messages in parallel, each in the partition of its user. If only some partitions fail, the result for their messages
 * is `claimed`: they may or may not be stored, and the caller must ask again.
 *
 * @param placeOf must return the same partition for all events of one user
 */
export async function takeIn(
  partitions: readonly SharedParts[],
  placeOf: PlaceOf,
  source: string,
  intakes: readonly Intake[],
): Promise<readonly TakenIn[]> {
  const [only] = partitions;
  if (only !== undefined && partitions.length === 1) return takeInAt(only, 0, source, intakes);
  const places = intakes.map(({ id, user }) => placeOf({ id: eventId(id, source), user }));
  const results = await Promise.allSettled(
    partitions.map(async (shared, place) => {
      const own = intakes.filter((_, index) => places[index] === place);
      return own.length === 0 ? undefined : takeInAt(shared, place, source, own);
    }),
  );
  const taken = results.map((result) => (result.status === 'fulfilled' ? result.value?.values() : undefined));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined && taken.every((each) => each === undefined)) throw failed.reason;
  return places.map((place) => taken[place]?.next().value ?? 'claimed');
}

async function takeInAt(
  { partition, intake }: SharedParts,
  place: number,
  source: string,
  intakes: readonly Intake[],
): Promise<readonly TakenIn[]> {
  const messages = intakes.map(({ id, body, deliveries }) => ({
    seen: partition.seenKeyOf(source, id),
    body,
    sourcedId: sourcedId(id, source),
    deliveries: deliveries.map(({ store, event }) => ({ store: partOf(store, place), event })),
  }));
  const outcomes = await intake.take(messages);
  const [first] = outcomes;
  if (first instanceof RedisFailedError && outcomes.every((each) => each instanceof RedisFailedError)) throw first;
  return outcomes.map((outcome) => (outcome instanceof RedisFailedError ? 'claimed' : outcome));
}

/** Returns the part of a store in the partition with that number. */
function partOf(store: EventStore, place: number): StorePart {
  const part = store instanceof RedisStore ? store.parts[place] : undefined;
  if (part === undefined) throw new Error('Expected a store of this storage');
  return part;
}
