import { ValidationError } from '../../base/errors/errors.js';
import { MAX_EVENT_BYTES } from '../../base/options/limits.js';
import { newUuid } from '../../base/text/uuid.js';
import type { Origin } from '../../delivery/completion-rule.js';
import { newStates, type StoredEvent } from '../../delivery/completion-rule.js';
import type { Deliverable } from '../../delivery/deliverable.js';
import { eventId, userKey } from '../../delivery/event-names.js';
import type { EventType } from '../../protocol/field-table.js';
import type { IntegrationsInput } from '../../protocol/integrations.js';
import { explainUnreadable } from '../../protocol/write-json.js';
import type { EventStore } from '../../store/event-store.js';
import { type CanonicalEvent, canonicalEvent } from './canonical-event.js';

/** A message that is prepared once, however many destinations get it. */
export interface PreparedEvent {
  readonly id: string;
  readonly type: EventType;
  readonly body: Uint8Array;
  readonly origin?: Origin | undefined;
  /** The user of the event, in the form that `userKey` returns. */
  readonly user?: string | undefined;
}

/** @throws ValidationError when the message has no canonical form, or is larger than receivers accept */
export const prepareEvent = (message: Deliverable): PreparedEvent => prepareCanonical(canonicalEvent(message));

/** @throws ValidationError when the event is larger than receivers accept */
export const prepareCanonical = (event: CanonicalEvent): PreparedEvent => ({
  id: event.messageId ?? newUuid(),
  type: event.type,
  body: buildBody(event),
  user: userKey(event),
});

/** Tells endpoints which layout the body has. */
const BODY_VERSION = 1;

/**
 * Builds the bytes that every endpoint receives in every attempt. They are built once, then stored, signed and sent.
 *
 * @throws ValidationError when the event contains something that JSON cannot hold, or is larger than receivers accept.
 */
function buildBody(event: CanonicalEvent): Uint8Array {
  const { type, userId, timestamp } = event;
  const content = type === 'delete' ? { type, userId, timestamp } : { ...event, version: BODY_VERSION };
  const body = Buffer.from(stringify(type, content));
  if (body.length <= MAX_EVENT_BYTES) return body;
  throw new ValidationError(type, `at most ${MAX_EVENT_BYTES} bytes of JSON`, `${body.length}`);
}

function stringify(type: string, content: object): string {
  try {
    return JSON.stringify(content);
  } catch (error) {
    throw explainUnreadable(type, content, error);
  }
}

/** A prepared event in the form in which a store keeps it. */
export interface NewEvent {
  readonly event: StoredEvent;
  /** When its first attempts are due, in milliseconds since 1970. */
  readonly at: number;
  /** The partition in which it will be stored, if the store has partitions. */
  readonly partition?: number | undefined;
  readonly body: Uint8Array;
}

/** Creates the records that a store keeps of prepared events, each with a delivery to each of these webhooks, in their order. */
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
    const at = store.placeFor(now);
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
    return { event, at, body, partition: store.partitionOf(event) };
  });
}

/** The name by which the `integrations` of a message refer to this destination. It is case sensitive. */
export const PUBLISHED_NAME = 'Webhooks';

/** Returns true if a message is for this destination: `Webhooks` in its `integrations` has precedence over `All`. */
export function isWanted(integrations: IntegrationsInput | null | undefined): boolean {
  if (integrations === undefined || integrations === null) return true;
  const named = Object.hasOwn(integrations, PUBLISHED_NAME) ? integrations[PUBLISHED_NAME] : undefined;
  if (named === false) return false;
  if (named === true || (typeof named === 'object' && named !== null)) return true;
  return integrations.All !== false;
}
