import type { DeathReason } from '../../delivery/state.js';
import type { AttemptReport, EventType, WebhookName } from './delivery-answers.js';

// What the API tells of dead letters. Every time is ISO 8601 in UTC with milliseconds.

/** Which dead letters: those for which all of it holds. */
export interface DeadLetterFilter {
  /** The webhook that did not get them: its `id` or its URL. */
  readonly endpoint?: string | undefined;
  readonly type?: EventType | undefined;
  /** Only those of this user: the `userId` or, without one, the `anonymousId`. */
  readonly user?: string | undefined;
  readonly reason?: DeathReason | undefined;
  /** Accepted then or later: ISO 8601. @format date-time */
  readonly from?: string | undefined;
  /** Accepted before then: ISO 8601. @format date-time */
  readonly to?: string | undefined;
}

/** An event, and the webhooks that did not get it. */
export interface DeadLetter {
  readonly id: string;
  readonly type: EventType;
  /** What a track is called, and whose it is, as far as the message says. */
  readonly event?: string;
  readonly userId?: string;
  readonly anonymousId?: string;
  /** @format date-time */
  readonly acceptedAt: string;
  readonly endpoints: readonly (WebhookName & {
    readonly reason: DeathReason;
    /** @format date-time */
    readonly diedAt: string;
    /** The latest, oldest first. */
    readonly attempts: readonly AttemptReport[];
  })[];
}

export interface DeadLetterPage {
  readonly letters: readonly DeadLetter[];
  /** Where the next page begins; absent at the end. */
  readonly next?: string;
}

/** How many deliveries a filter means. */
export interface DeadLetterCount {
  readonly deliveries: number;
  /** There may be more: with `from` or `to` about 10,000 dead letters are read. Absent when these are all. */
  readonly hasMore?: true;
}

export interface DeadLetterWithBody extends DeadLetter {
  /** The message, as it was to be sent. */
  readonly body: unknown;
}

/** What a replay or discard gives: a job, or for one letter, which is done at once, no more than the count. */
export type LetterChange =
  | LetterJob
  | { readonly id?: undefined; readonly status: 'done'; readonly deliveries: number };

/** A replay or discard of many deliveries. */
export interface LetterJob {
  readonly id: string;
  readonly act: 'replay' | 'discard';
  readonly destination: string;
  /** With `state: 'waiting'` of a discard of what waits. */
  readonly filter: DeadLetterFilter & { readonly state?: 'dead' | 'waiting' | undefined };
  readonly status: 'running' | 'done' | 'stopped' | 'failed';
  /** How many are replayed or discarded so far. */
  readonly deliveries: number;
  /** How many were meant when it began, where that is known. */
  readonly meant: number | null;
  /** Deliveries a second, where there is a limit. */
  readonly rate: number | null;
  /** @format date-time */
  readonly startedAt: string;
  /** @format date-time */
  readonly endedAt: string | null;
  /** Why it failed. */
  readonly error: string | null;
}
