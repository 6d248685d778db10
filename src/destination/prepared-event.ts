import { randomUUID } from 'node:crypto';
import type { Origin } from '../delivery/completion-rule.js';
import type { Deliverable, DeliverableType } from '../delivery/deliverable.js';
import { buildBody } from './body.js';
import { type CanonicalEvent, canonicalEvent } from './canonical-event.js';

/** A message made ready once, for however many destinations get it. */
export interface PreparedEvent {
  readonly id: string;
  readonly type: DeliverableType;
  readonly body: Uint8Array;
  readonly origin?: Origin | undefined;
}

/** @throws ValidationError when the message has no canonical form, or is larger than receivers take. */
export const prepareEvent = (message: Deliverable): PreparedEvent => prepareCanonical(canonicalEvent(message));

/** @throws ValidationError when the event is larger than receivers take. */
export const prepareCanonical = (event: CanonicalEvent): PreparedEvent => ({
  id: event.messageId ?? randomUUID(),
  type: event.type,
  body: buildBody(event),
});
