import type { EndpointReport } from '../../service/api/answer-types.js';

/** An event that the server reports to the page. */
export type FeedEntry = MessageEntry | RejectedEntry | BatchEntry | DeliveryEntry;

interface NumberedEntry {
  /** The number of the entry. Each entry's number is one more than the previous one. */
  readonly seq: number;
}

interface CommonEntry extends NumberedEntry {
  /** The time in UTC with milliseconds. */
  readonly receivedAt: string;
  /** The name of the source; empty when the write key is unknown. */
  readonly source: string;
}

/** The collector accepted a message. */
export interface MessageEntry extends CommonEntry {
  readonly kind: 'message';
  /** The size as JSON, in bytes. */
  readonly bytes: number;
  readonly message: Readonly<Record<string, unknown>>;
}

/** The collector refused a message, or a whole request. */
export interface RejectedEntry extends CommonEntry {
  readonly kind: 'rejected';
  readonly code: string;
  readonly reason: string;
  /** The text that was sent, as far as it is known. Long texts are shortened. */
  readonly raw: string;
  readonly client: string;
}

/** The collector answered a request. */
export interface BatchEntry extends CommonEntry {
  readonly kind: 'batch';
  readonly path: string;
  readonly messages: number;
  readonly rejected: number;
  /** The number of messages that were received before, and were not passed on again. */
  readonly duplicates: number;
  readonly status: number;
  /** The size of the body as JSON; `wireBytes` is its size on the wire. */
  readonly bytes: number;
  readonly wireBytes: number;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** The User-Agent of the sender. */
  readonly client: string;
}

/** A message was sent to a webhook, or could not be sent. Times are UTC with milliseconds. */
export interface DeliveryEntry extends NumberedEntry {
  readonly kind: 'delivery';
  /** When the attempt began. */
  readonly at: string;
  /** The `messageId`. */
  readonly id: string;
  readonly type: string;
  /** What the message is about, in one line. */
  readonly title: string;
  /** The name of the destination, if there are several. */
  readonly destination?: string;
  /** The URL of the webhook; empty for a message that is sent to none. */
  readonly endpoint: string;
  /** The number of the attempt, from 1; 0 if no attempt was made. */
  readonly attempt: number;
  readonly outcome: 'delivered' | 'retry' | 'dead' | 'skipped';
  /** The status, or Node's name of the error. */
  readonly result: string;
  readonly durationMs: number;
  readonly reason: string;
  /** When the next attempt is due, if there is one. */
  readonly nextAttemptAt?: string;
}

/** The state of a webhook. */
export interface EndpointState extends Pick<EndpointReport, 'url' | 'state' | 'failing' | 'inFlight' | 'waiting'> {
  /** Until when its circuit breaker is open, in ms since 1970. */
  readonly openUntil?: number | undefined;
}

/** An entry without its number. */
export type NewEntry = { [E in FeedEntry as E['kind']]: Omit<E, 'seq'> }[FeedEntry['kind']];

/** Sent to the page when it connects. */
export interface Hello {
  /** An id that changes when the server is restarted and has lost what the page shows. */
  readonly epoch: string;
  /** The lines of code that send an event here. */
  readonly snippet: readonly string[];
  /** True if messages are forwarded to webhooks. */
  readonly isForwarding: boolean;
}
