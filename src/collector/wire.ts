import type { MessageTypeName } from '../protocol/calls.js';
import type { Context } from '../protocol/context.js';
import type { Integrations } from '../protocol/integrations.js';
import type { Message } from '../protocol/message.js';

// The bodies and answers of the collector's paths. The build reads these types by their names and makes `openapi.json` of them. The
// collector takes more: numbers for text, null for what is absent, an empty list for an empty object.

/** A message without an id gets one, and without a time that of its arrival. */
type ReceivedForm<M extends Message> = Omit<M, 'type' | 'messageId' | 'timestamp'> &
  Partial<Pick<M, 'type' | 'messageId' | 'timestamp'>>;

/** A message as clients send it, by its type. @public */
export type SentMessages = { [T in MessageTypeName]: ReceivedForm<Extract<Message, { type: T }>> };

/** A batch as clients send it. Each message gets the batch's `context` and `integrations`, below its own. @public */
export interface SentBatch {
  readonly context?: Context | undefined;
  readonly integrations?: Integrations | undefined;
  /** When the client sent it, by the clock that the messages' times are from. @format date-time */
  readonly sentAt?: string | undefined;
  /** The write key, where there is no `Authorization`. */
  readonly writeKey?: string | undefined;
}

/** All messages were stored, but those that are `rejected`. */
export interface CollectedAnswer {
  readonly success: true;
  readonly rejected?: readonly RejectedMessage[];
}

/** The request was refused. */
export interface CollectorError {
  /** `all_rejected`, with the list of them, where no message of a batch was taken. */
  readonly code: string;
  readonly message: string;
  readonly success?: false;
  readonly rejected?: readonly RejectedMessage[];
}

export interface RejectedMessage {
  /** Its place in the batch, from 0. */
  readonly index: number;
  readonly messageId: string | null;
  readonly code: string;
  readonly message: string;
}
