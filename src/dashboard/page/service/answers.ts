/** What the service answers, as far as the page shows it. */

/** ISO 8601, or ms since 1970. */
export type Moment = string | number;

export interface Session {
  readonly signedIn: boolean;
  /** Whether there is an admin token to sign in with. */
  readonly enabled: boolean;
}

export interface Status {
  readonly version: string;
  readonly startedAt: Moment;
  readonly process: string | number;
  /** `error`: why the configuration that was read last is not the one in use. */
  readonly config: { readonly loadedAt: Moment; readonly error?: string };
  readonly store: { readonly type: string; readonly bytes: number };
  readonly eventLoopDelayMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

export interface SourceReport {
  readonly name: string;
  readonly destinations: readonly string[];
  readonly trackSchema: { readonly allowed?: readonly string[] | null; readonly blocked?: readonly string[] };
  readonly lastHour: {
    readonly received: number;
    readonly rejected: number;
    readonly blocked: number;
    readonly forwarded: number;
  };
}

/** How many of one event came in an hour. */
export interface HourCount {
  /** `2026-11-20T12`, in UTC. */
  readonly hour: string;
  /** The name of a track event; null for other types. */
  readonly event: string | null;
  readonly type: string;
  readonly received: number;
  readonly blocked: number;
}

export interface EndpointReport {
  readonly url: string;
  readonly state: 'closed' | 'open' | 'half-open';
  readonly openUntil?: Moment | null;
  readonly failing: boolean;
  readonly inFlight: number;
  readonly waiting: number;
  readonly oldestDue?: Moment | null;
}

export interface DestinationReport {
  readonly name: string;
  readonly type: string;
  readonly enabled: boolean;
  readonly configuredEnabled: boolean;
  readonly sources: readonly string[];
  readonly settle: 'any' | 'each';
  readonly signed: boolean;
  readonly endpoints: readonly EndpointReport[];
  readonly waiting: number;
  readonly deadLetters: number;
  /** Since the process started. */
  readonly counters: { readonly delivered: number; readonly dead: number; readonly attempts: number };
}

export interface Attempt {
  readonly at: Moment;
  readonly durationMs: number;
  readonly result: string;
  readonly status?: number;
  readonly code?: string;
  /** How the answer began, of the last attempt. */
  readonly answer?: string;
}

export interface DeadLetter {
  readonly id: string;
  readonly type: string;
  /** As the message has them. */
  readonly event?: string;
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly acceptedAt: Moment;
  readonly endpoints: readonly {
    readonly url: string;
    readonly reason: string;
    readonly attempts: readonly Attempt[];
  }[];
}

export interface DeadLetterPage {
  readonly letters: readonly DeadLetter[];
  /** Where the next page begins, if there is one. */
  readonly next?: string;
}

/** One letter, with its message. */
export interface DeadLetterWithBody extends DeadLetter {
  readonly body: unknown;
}

/** A replay or discard. What is over at once has neither an id nor a number of those that were meant. */
export interface LetterJob {
  readonly id?: string;
  readonly status: 'running' | 'done' | 'stopped' | 'failed';
  readonly deliveries: number;
  readonly meant?: number | null;
  readonly error?: string | null;
}

/** Where one message stands at one destination, and why. */
export interface Explanation {
  readonly destination: string;
  readonly acceptedAt: Moment;
  readonly endpoints: readonly {
    readonly url: string;
    readonly phase: string;
    readonly why: string;
    readonly rule?: string | null;
    readonly nextAttemptAt?: Moment | null;
    readonly attempts: readonly Attempt[];
  }[];
}

export interface AudienceReport {
  readonly name: string;
  readonly trait: string;
  readonly members: number;
  readonly createdAt: Moment;
  readonly syncedAt?: Moment | null;
  /** The one that is running. */
  readonly sync?: { readonly phase: string; readonly received: number; readonly applied: number } | null;
}

export interface DeletionReport {
  readonly id: string;
  readonly at: Moment;
  readonly users: number;
  readonly sources: readonly string[];
  readonly notifications: number;
  /** How many of the notifications are on their way. */
  readonly done: number;
  readonly status: string;
}
