import type { StoredEvent } from '../../delivery/completion-rule.js';
import { eventId } from '../../delivery/names.js';
import { RedisFailedError } from '../errors.js';
import type { EventStore } from '../event-store.js';
import { besides, type Intake, type TakenIn } from '../intake.js';
import type { IntakeWriter } from './intake-writer.js';
import type { NewDelivery, NewMessage, Outcome } from './new-message.js';
import type { Partition } from './partition.js';
import type { PlaceOf } from './partitions.js';
import { RedisStore } from './redis-store.js';
import type { StorePart } from './store-part.js';

/** How often other events of the id are looked up, because they may come and go meanwhile. */
const LOOKS = 3;

/**
 * Stores new messages in parallel, each in the partition of its user. If only some partitions fail, their messages are
 * answered with `claimed`: they may be stored, and have to be asked for again.
 *
 * @param placeOf must return the same partition for all events of one user
 */
export async function takeIn(
  partitions: readonly Partition[],
  placeOf: PlaceOf,
  source: string,
  intakes: readonly Intake[],
): Promise<readonly TakenIn[]> {
  const [only] = partitions;
  if (only !== undefined && partitions.length === 1) return takeInAt(only, 0, source, intakes);
  const places = intakes.map(({ id, user }) => placeOf({ id: eventId(id, source), user }));
  const results = await Promise.allSettled(
    partitions.map(async (partition, place) => {
      const own = intakes.filter((_, index) => places[index] === place);
      return own.length === 0 ? undefined : takeInAt(partition, place, source, own);
    }),
  );
  const taken = results.map((result) => (result.status === 'fulfilled' ? result.value?.values() : undefined));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined && taken.every((each) => each === undefined)) throw failed.reason;
  return places.map((place) => taken[place]?.next().value ?? 'claimed');
}

async function takeInAt(
  partition: Partition,
  place: number,
  source: string,
  intakes: readonly Intake[],
): Promise<readonly TakenIn[]> {
  const writer = partition.shared.intake;
  const messages = intakes.map((intake) => messageOf(intake, place, partition.seenKeyOf(source, intake.id)));
  const outcomes = await writer.take(messages);
  const [first] = outcomes;
  if (first instanceof RedisFailedError && outcomes.every((each) => each instanceof RedisFailedError)) throw first;
  return Promise.all(
    messages.map((message, index) => {
      const outcome = outcomes[index] ?? 'meets';
      const id = intakes[index]?.id ?? '';
      return outcome === 'meets' ? takeBesides(writer, message, id) : takenIn(message, outcome);
    }),
  );
}

const messageOf = ({ body, deliveries }: Intake, place: number, seen: string): NewMessage<StorePart> => ({
  seen,
  body,
  deliveries: deliveries.map(({ store, event }) => ({ store: partOf(store, place), event, mayBeKnown: false })),
});

/** The part of a store in the partition of that number. */
export function partOf(store: EventStore, place: number): StorePart {
  const part = store instanceof RedisStore ? store.parts[place] : undefined;
  if (part === undefined) throw new Error('Expected a store of this storage');
  return part;
}

function takenIn({ deliveries }: NewMessage, outcome: Exclude<Outcome, 'meets'>): TakenIn {
  if (outcome instanceof RedisFailedError) return 'claimed';
  if (typeof outcome === 'string') return outcome;
  return deliveries.map(({ event }, index) => (outcome[index] === true ? event.id : undefined));
}

/** Stores a message although a destination has an event of its id, from another source or from the same message. */
async function takeBesides(writer: IntakeWriter, message: NewMessage<StorePart>, messageId: string): Promise<TakenIn> {
  for (let look = 1; ; look++) {
    const deliveries = await Promise.all(
      message.deliveries.map((delivery) => besideOthers(delivery, messageId, look === LOOKS)),
    );
    const [outcome = 'meets'] = await writer.take([{ ...message, deliveries }]);
    if (outcome !== 'meets') return takenIn({ ...message, deliveries }, outcome);
  }
}

async function besideOthers(
  delivery: NewDelivery<StorePart>,
  messageId: string,
  isLast: boolean,
): Promise<NewDelivery<StorePart>> {
  const { store, event } = delivery;
  const there = await store.event(event.id);
  const other: StoredEvent | undefined = there === undefined ? undefined : besides(there, event, messageId);
  if (other !== undefined) return { store, event: other, mayBeKnown: true };
  return { store, event, mayBeKnown: isLast || there !== undefined };
}
