/** What the debugger page is told, one entry for each thing that happened. Shared by the server and the page. */
export type Entry = MessageEntry | RejectedEntry | BatchEntry | DeliveryEntry;

interface NumberedEntry {
  /** Grows by one from entry to entry. */
  readonly seq: number;
}

interface CommonEntry extends NumberedEntry {
  /** UTC with milliseconds. */
  readonly receivedAt: string;
  /** The name of the source; empty when the write key is unknown. */
  readonly source: string;
}

/** A message the collector took. */
export interface MessageEntry extends CommonEntry {
  readonly kind: 'message';
  /** The size as JSON, in bytes. */
  readonly bytes: number;
  readonly message: Readonly<Record<string, unknown>>;
}

/** A message, or a whole request, that it refused. */
export interface RejectedEntry extends CommonEntry {
  readonly kind: 'rejected';
  readonly code: string;
  readonly reason: string;
  /** What was sent, as far as it is known, shortened where it is long. */
  readonly raw: string;
  readonly client: string;
}

/** A request. */
export interface BatchEntry extends CommonEntry {
  readonly kind: 'batch';
  readonly path: string;
  readonly messages: number;
  readonly rejected: number;
  /** Messages that had come before, and were not handed on again. */
  readonly duplicates: number;
  /** What it was answered with. */
  readonly status: number;
  /** The body as JSON, and as it came over the wire. */
  readonly bytes: number;
  readonly wireBytes: number;
  /** 1, and one more for each repetition. */
  readonly attempt: number;
  /** The User-Agent. */
  readonly client: string;
}

/** One attempt to bring a message to a webhook, or why there was none. Times are UTC with milliseconds. */
export interface DeliveryEntry extends NumberedEntry {
  readonly kind: 'delivery';
  /** When the attempt began. */
  readonly at: string;
  /** The `messageId`. */
  readonly id: string;
  readonly type: string;
  /** What the message is about, in one line. */
  readonly title: string;
  /** The name of the destination, where there is more than one. */
  readonly destination?: string;
  /** The webhook's URL; empty for a message that goes to none. */
  readonly endpoint: string;
  /** 1, and one more for each repetition; 0 when no attempt was made. */
  readonly attempt: number;
  readonly outcome: 'delivered' | 'retry' | 'dead' | 'skipped';
  /** The status, or in its place Node's name of the error. */
  readonly result: string;
  readonly durationMs: number;
  readonly reason: string;
  /** When the next attempt is due, if there will be one. */
  readonly nextAttemptAt?: string;
}

/** A webhook as it is now. Times are in ms since 1970. */
export interface EndpointState {
  readonly url: string;
  /** The state of its circuit breaker. */
  readonly state: 'closed' | 'open' | 'half-open';
  readonly openUntil?: number | undefined;
  /** Whether most of its last attempts failed. */
  readonly failing: boolean;
  /** Requests that run now. */
  readonly inFlight: number;
  /** Deliveries without an end, those in flight included. */
  readonly waiting: number;
}

/** An entry before it is numbered. */
export type NewEntry =
  | Omit<MessageEntry, 'seq'>
  | Omit<RejectedEntry, 'seq'>
  | Omit<BatchEntry, 'seq'>
  | Omit<DeliveryEntry, 'seq'>;

/** The first thing the page is told on each connection. */
export interface Hello {
  /** Another one after the server was started again: what the page holds is gone then. */
  readonly epoch: string;
  /** Lines of code that send an event here. */
  readonly snippet: readonly string[];
  /** Whether messages are forwarded to webhooks. */
  readonly isForwarding: boolean;
}
