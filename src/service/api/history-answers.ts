import type { WebhookName } from './delivery-answers.js';

// The answers of the API about the last hour, day and week. Every time is ISO 8601 in UTC with milliseconds.

/** 60 points of one minute, 96 points of 15 minutes, or 84 points of two hours. */
export type HistoryRange = '1h' | '24h' | '7d';

export interface HistoryQuery {
  /** @default '1h' */
  readonly range?: HistoryRange | undefined;
}

/** The attempts of a destination in the last 60 minutes. */
export interface LastHour {
  readonly attempts: number;
  /** From 0 to 1; null if there was no attempt. */
  readonly successRate: number | null;
  /** Half of the answers took at most this long, in ms. */
  readonly p50Ms: number | null;
  /** 95 % of the answers took at most this long, in ms. */
  readonly p95Ms: number | null;
  /** One point for each minute, oldest first. */
  readonly points: readonly { readonly delivered: number; readonly failed: number }[];
}

export interface DestinationHistory {
  readonly stepMs: number;
  /** Oldest first. The last point is not over yet. */
  readonly points: readonly DestinationPoint[];
}

/** The attempts in one step, by their result. */
export interface DestinationPoint {
  /** When the step began. @format date-time */
  readonly at: string;
  readonly delivered: number;
  /** Failed attempts that are retried. */
  readonly retried: number;
  /** Attempts that failed for good. With `settle: 'any'`, another webhook may have taken the event, which is then no dead letter. */
  readonly dead: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** The number of deliveries that waited at the end of the step; null if no process counted them. */
  readonly waiting: number | null;
}

export interface HourTotals {
  readonly received: number;
  readonly rejected: number;
  readonly blocked: number;
  readonly forwarded: number;
}

export interface SourceHistory {
  readonly stepMs: number;
  /** Oldest first. The last point is not over yet. */
  readonly points: readonly SourcePoint[];
}

export interface SourcePoint extends HourTotals {
  /** When the step began. @format date-time */
  readonly at: string;
}

/** The violations of a tracking plan at one path, for one reason. */
export interface ViolationReport {
  readonly type: string;
  /** The name of a track event; null for other types; `(other)` for everything beyond 100 kinds. */
  readonly event: string | null;
  /** The path without the indexes of lists: `properties.items[].price`. */
  readonly path: string;
  /** The JSON Schema keyword that failed, such as `required`, or `unknown_event` or `too_deep`. */
  readonly reason: string;
  /** What happened to these messages. */
  readonly outcome: 'blocked' | 'reported';
  readonly count: number;
  /** @format date-time */
  readonly lastAt: string;
  readonly example: {
    readonly expected: string;
    readonly received: string;
    /** The message or its beginning, with `***` in place of write keys. */
    readonly raw: string;
    /** The program that sent it, according to its `context.library`. */
    readonly client: string;
  };
}

/** The messages of a source that were rejected for the same reason. */
export interface RejectionReport {
  readonly code: string;
  readonly count: number;
  /** @format date-time */
  readonly lastAt: string;
  readonly example: {
    readonly reason: string;
    /** The text that was sent, or its beginning, with `***` in place of write keys and secrets. */
    readonly raw: string;
    /** The program that sent it, according to its `context.library` or `User-Agent`. */
    readonly client: string;
  };
}

/** The failed attempts of a destination that ended the same way at the same webhook, in the last week. */
export interface DeliveryErrorReport {
  readonly webhook: WebhookName;
  /** The status, or Node's name of the error: `503`, `ECONNREFUSED`, `TIMEOUT`; `(other)` for everything beyond 100 kinds. */
  readonly result: string;
  readonly count: number;
  /** @format date-time */
  readonly firstAt: string;
  /** @format date-time */
  readonly lastAt: string;
  /** The event of the last of these attempts. */
  readonly example: { readonly id: string; readonly source: string | null };
}
