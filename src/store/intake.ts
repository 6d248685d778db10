import type { StoredEvent } from '../delivery/completion-rule.js';
import { sourcedId } from '../delivery/names.js';
import type { EventStore } from './event-store.js';

/** A message that a source has sent, and what each destination keeps of it. */
export interface Intake {
  /** The message's, as its source gave it. */
  readonly id: string;
  /** The user of the message, as `userKey` names users. It is known even if the message goes nowhere. */
  readonly user?: string | undefined;
  /** What every destination gets. */
  readonly body: Uint8Array;
  /** One for each destination; none for a message that goes nowhere, whose id is remembered all the same. */
  readonly deliveries: readonly IntakeDelivery[];
}

export interface IntakeDelivery {
  /** The store of the destination in this storage. */
  readonly store: EventStore;
  readonly event: StoredEvent;
}

/**
 * What became of an intake. Of a message that is new: the id of the event that each destination now has, in their order; undefined
 * where the destination has had it already. `known`: the source has sent a message of that id within a day, and nothing was changed.
 * `claimed`: another process is storing it now, or the part of the storage that it belongs to did not answer; ask again.
 */
export type TakenIn = readonly (string | undefined)[] | 'known' | 'claimed';

/** For how long an id is remembered. */
export const KEEP_MS = 24 * 60 * 60_000;

/** What an event is added to. */
export interface EventRecords {
  event(id: string): StoredEvent | undefined;
  /** Says whether it was new; where it was not, nothing was changed. */
  add(event: StoredEvent, body: Uint8Array): boolean;
}

/** Adds the event of a message that is new, and gives the id that it has there; undefined where it is no news. */
export function addDelivery(
  records: EventRecords,
  event: StoredEvent,
  { id, body }: Pick<Intake, 'id' | 'body'>,
): string | undefined {
  if (records.add(event, body)) return event.id;
  const other = besides(records.event(event.id), event, id);
  return other !== undefined && records.add(other, body) ? other.id : undefined;
}

/**
 * The event as it is kept beside another one of its id. Two sources may give different messages the same id: the one that comes
 * second is kept with its source before it. Undefined when both are the same message.
 */
export function besides(
  there: StoredEvent | undefined,
  event: StoredEvent,
  messageId: string,
): StoredEvent | undefined {
  const { source } = event;
  if (source === undefined || there?.source === source) return undefined;
  return { ...event, id: sourcedId(messageId, source) };
}
