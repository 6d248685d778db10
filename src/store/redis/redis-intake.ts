import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { EventStore } from '../event-store.js';
import { besides, type Intake, type TakenIn } from '../intake.js';
import type { RedisMessageIdStore } from './redis-message-id-store.js';

/**
 * Stores the messages that no other process is storing. The deliveries are stored before the ids are kept, so that a crash in between
 * makes a repetition and never a loss.
 */
export async function takeIn(
  messageIds: RedisMessageIdStore,
  source: string,
  intakes: readonly Intake[],
): Promise<readonly TakenIn[]> {
  const claims = await messageIds.claim(source, idsOf(intakes));
  const fresh = intakes.filter((_, index) => claims[index] === 'new');
  try {
    const added = await allDone(fresh.map(addAll));
    if (fresh.length > 0) await messageIds.keep(source, idsOf(fresh));
    return claims.map((claim) => (claim === 'new' ? (added.shift() ?? []) : claim === 'kept' ? 'known' : claim));
  } catch (error) {
    // Without a release the same messages would be refused until the claim is over.
    await messageIds.release(source, idsOf(fresh)).catch(() => {});
    throw error;
  }
}

const idsOf = (intakes: readonly Intake[]): string[] => intakes.map(({ id }) => id);

const addAll = (intake: Intake): Promise<(string | undefined)[]> =>
  allDone(intake.deliveries.map(({ store, event }) => addDelivery(store, event, intake)));

async function addDelivery(store: EventStore, event: StoredEvent, { id, body }: Intake): Promise<string | undefined> {
  if (await store.add(event, body)) return event.id;
  const other = besides(await store.event(event.id), event, id);
  return other !== undefined && (await store.add(other, body)) ? other.id : undefined;
}

/** What is still being stored must not be released. */
async function allDone<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}
