import type { MessageTypeName } from '../protocol/calls.js';
import type { SentOwnFields } from '../protocol/message-shapes.js';

/** The fields that every message has when `onMessages` gets it, beside whatever else the client sent with it. */
export interface ReceivedFields {
  /** The id that the client sent, or a UUID of version 7 where it sent none. */
  messageId: string;
  /**
   * When it happened: UTC with milliseconds. As the client gave it, but moved by `receivedAt - sentAt` where that is 5 seconds to
   * 30 days and the time is of the 24 hours before `sentAt`: then a clock was wrong.
   */
  timestamp: string;
  /** When it happened, by the client's clock: UTC with milliseconds. Absent when the client did not say. */
  originalTimestamp?: string | null;
  /** When the client sent it, by the client's clock: UTC with milliseconds. `null` when the client gave what is no time. */
  sentAt?: string | null;
  /** When the request reached the collector: UTC with milliseconds. */
  receivedAt: string;
  userId?: string | null;
  anonymousId?: string | null;
  /** The message's own, over that of its batch. */
  context?: Record<string, unknown> | null;
  /** The message's own, over those of its batch. */
  integrations?: Record<string, unknown> | null;
  /** Fields the protocol does not name are held unchanged. */
  [field: string]: unknown;
}

/** A message of the type as `onMessages` gets it. What is in its objects is the client's. */
export type Received<T extends MessageTypeName> = ReceivedFields & { type: T } & SentOwnFields<
    T,
    null,
    Record<string, unknown>
  >;
