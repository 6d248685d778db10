import type { StoredEvent } from '../../delivery/completion-rule.js';
import { besides, type Intake, type TakenIn } from '../intake.js';
import type { IntakeWriter, NewDelivery, NewMessage, Outcome } from './intake-writer.js';
import { RedisStore } from './redis-store.js';

/** How often it is looked what other events are there, as they may come and go meanwhile. */
const LOOKS = 3;

/** @param seenKeyOf gives the key under which the id of a message is remembered */
export async function takeIn(
  writer: IntakeWriter,
  intakes: readonly Intake[],
  seenKeyOf: (id: string) => string,
): Promise<readonly TakenIn[]> {
  const messages = intakes.map((intake) => messageOf(intake, seenKeyOf(intake.id)));
  const outcomes = await writer.take(messages);
  return Promise.all(
    messages.map((message, index) => {
      const outcome = outcomes[index] ?? 'meets';
      const id = intakes[index]?.id ?? '';
      return outcome === 'meets' ? takeBesides(writer, message, id) : takenIn(message, outcome);
    }),
  );
}

const messageOf = ({ body, deliveries }: Intake, seen: string): NewMessage<RedisStore> => ({
  seen,
  body,
  deliveries: deliveries.map(({ store, event }) => {
    if (!(store instanceof RedisStore)) throw new Error('a delivery is for a store of another storage');
    return { store, event, isLoose: false };
  }),
});

const takenIn = ({ deliveries }: NewMessage, outcome: Exclude<Outcome, 'meets'>): TakenIn =>
  typeof outcome === 'string'
    ? outcome
    : deliveries.map(({ event }, index) => (outcome[index] === true ? event.id : undefined));

/** Takes in a message where a destination has an event of its id: from another source, or of the same message. */
async function takeBesides(writer: IntakeWriter, message: NewMessage<RedisStore>, messageId: string): Promise<TakenIn> {
  for (let look = 1; ; look++) {
    const deliveries = await Promise.all(
      message.deliveries.map((delivery) => besideOthers(delivery, messageId, look === LOOKS)),
    );
    const [outcome = 'meets'] = await writer.take([{ ...message, deliveries }]);
    if (outcome !== 'meets') return takenIn({ ...message, deliveries }, outcome);
  }
}

async function besideOthers(
  delivery: NewDelivery<RedisStore>,
  messageId: string,
  isLast: boolean,
): Promise<NewDelivery<RedisStore>> {
  const { store, event } = delivery;
  const there = await store.event(event.id);
  const other: StoredEvent | undefined = there === undefined ? undefined : besides(there, event, messageId);
  if (other !== undefined) return { store, event: other, isLoose: true };
  return { store, event, isLoose: isLast || there !== undefined };
}
