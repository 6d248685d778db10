import type { MessageTypeName } from '../protocol/calls.js';
import type { SentOwnFields } from '../protocol/message-shapes.js';

/** The fields of every message that `onMessages` gets, besides any others that the client sent. */
export interface ReceivedFields {
  /** The id that the client sent, or a UUID of version 7 if it sent none. */
  messageId: string;
  /**
   * When it happened: UTC with milliseconds. This is the client's time, moved by `receivedAt - sentAt` if the client's clock was
   * wrong: if that difference is 5 seconds to 30 days, and the time is within the 24 hours before `sentAt`.
   */
  timestamp: string;
  /** When it happened, by the client's clock: UTC with milliseconds. Absent if the client did not say. */
  originalTimestamp?: string | null;
  /** When the client sent it, by its clock: UTC with milliseconds. `null` if the client sent something that is not a time. */
  sentAt?: string | null;
  /** When the request reached the collector: UTC with milliseconds. */
  receivedAt: string;
  userId?: string | null;
  anonymousId?: string | null;
  /** The message's own context, completed from that of its batch. */
  context?: Record<string, unknown> | null;
  /** The message's own integrations, completed from those of its batch. */
  integrations?: Record<string, unknown> | null;
  /** Fields that the protocol does not name are kept unchanged. */
  [field: string]: unknown;
}

/** A message of the type in the form that `onMessages` gets. The contents of its objects are the client's. */
export type Received<T extends MessageTypeName> = ReceivedFields & { type: T } & SentOwnFields<
    T,
    null,
    Record<string, unknown>
  >;
