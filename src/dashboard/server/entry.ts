/** The server tells the page of each event in one entry. */
export type Entry = MessageEntry | RejectedEntry | BatchEntry | DeliveryEntry;

interface NumberedEntry {
  /** The number of the entry, which grows by one from entry to entry. */
  readonly seq: number;
}

interface CommonEntry extends NumberedEntry {
  /** UTC with milliseconds. */
  readonly receivedAt: string;
  /** The name of the source; empty when the write key is unknown. */
  readonly source: string;
}

/** The collector took a message. */
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
  /** The sent text as far as it is known, shortened when it is long. */
  readonly raw: string;
  readonly client: string;
}

/** The collector answered a request. */
export interface BatchEntry extends CommonEntry {
  readonly kind: 'batch';
  readonly path: string;
  readonly messages: number;
  readonly rejected: number;
  /** The messages that had come before, and were not handed on again. */
  readonly duplicates: number;
  readonly status: number;
  /** The bytes of the body as JSON, and below as it came over the wire. */
  readonly bytes: number;
  readonly wireBytes: number;
  /** 1, and one more for each repetition. */
  readonly attempt: number;
  /** The User-Agent. */
  readonly client: string;
}

/** An attempt was made to deliver a message to a webhook, or none could be made. Times are UTC with milliseconds. */
export interface DeliveryEntry extends NumberedEntry {
  readonly kind: 'delivery';
  /** When the attempt began. */
  readonly at: string;
  /** The `messageId`. */
  readonly id: string;
  readonly type: string;
  /** Says what the message is about, in one line. */
  readonly title: string;
  /** The name of the destination, where there is more than one. */
  readonly destination?: string;
  /** The webhook's URL; empty for a message that goes to none. */
  readonly endpoint: string;
  /** 1, and one more for each repetition; 0 when no attempt was made. */
  readonly attempt: number;
  readonly outcome: 'delivered' | 'retry' | 'dead' | 'skipped';
  /** The status, or Node's name of the error. */
  readonly result: string;
  readonly durationMs: number;
  readonly reason: string;
  /** When the next attempt is due, if there will be one. */
  readonly nextAttemptAt?: string;
}

/** The state of a webhook. Times are in ms since 1970. */
export interface EndpointState {
  readonly url: string;
  /** The state of its circuit breaker. */
  readonly state: 'closed' | 'open' | 'half-open';
  readonly openUntil?: number | undefined;
  /** True when most of its last attempts failed. */
  readonly failing: boolean;
  /** The number of requests that run now. */
  readonly inFlight: number;
  /** The number of deliveries without an end, those in flight included. */
  readonly waiting: number;
}

/** An entry without its number. */
export type NewEntry =
  | Omit<MessageEntry, 'seq'>
  | Omit<RejectedEntry, 'seq'>
  | Omit<BatchEntry, 'seq'>
  | Omit<DeliveryEntry, 'seq'>;

/** The server greets the page with this on each connection. */
export interface Hello {
  /** Changes when the server is started again, which has forgotten what the page shows. */
  readonly epoch: string;
  /** The lines of code that send an event here. */
  readonly snippet: readonly string[];
  /** True when messages are forwarded to webhooks. */
  readonly isForwarding: boolean;
}
