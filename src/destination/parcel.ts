import { randomUUID } from 'node:crypto';
import { buildBody, type Deliverable, type DeliverableType } from './body.js';
import type { Origin } from './settle.js';

/** A message made ready once, for however many destinations get it. */
export interface Parcel {
  readonly id: string;
  readonly type: DeliverableType;
  readonly body: Uint8Array;
  readonly origin?: Origin | undefined;
}

/** @throws ValidationError when the message is nothing that JSON can hold, or its time is none. */
export const parcelOf = (message: Deliverable): Parcel => ({
  id: message.messageId ?? randomUUID(),
  type: message.type,
  body: buildBody(message),
});
