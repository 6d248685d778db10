/** The circuit breaker of an endpoint: closed lets all requests through that fit, open none for a while, half-open a single one to see. */
export type Breaker =
  | { readonly phase: 'closed'; readonly failures: number }
  | { readonly phase: 'open'; readonly until: number; readonly openings: number }
  | { readonly phase: 'half-open'; readonly openings: number };

/** How many attempts in a row fail before it opens. */
const FAILURES_TO_OPEN = 10;

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
const JITTER = 0.2;

/** The longest pause an endpoint can ask for with Retry-After. */
const LONGEST_ASKED_MS = 60 * 60_000;

export const CLOSED: Breaker = { phase: 'closed', failures: 0 };

export interface Failure {
  readonly now: number;
  /** From 0 up to, but not, 1. */
  readonly random: number;
  readonly retryAfterMs: number | undefined;
  /** Whether it was the one request that was let through to see. */
  readonly wasProbe: boolean;
}

/** An attempt failed in a way that says the endpoint is not well. */
export function afterFailure(breaker: Breaker, failure: Failure): Breaker {
  // Requests from before it opened still come back; they say nothing new.
  if (breaker.phase !== 'closed') return failure.wasProbe ? open(breaker.openings, failure) : breaker;
  const failures = breaker.failures + 1;
  return failures < FAILURES_TO_OPEN ? { phase: 'closed', failures } : open(0, failure);
}

/** The pause is over: one request may go. */
export const probe = (breaker: Breaker, now: number): Breaker =>
  breaker.phase === 'open' && now >= breaker.until ? { phase: 'half-open', openings: breaker.openings } : breaker;

function open(openings: number, { now, random, retryAfterMs = 0 }: Failure): Breaker {
  const ms = Math.min(FIRST_PAUSE_MS * 2 ** openings, LONGEST_PAUSE_MS) * (1 - JITTER + 2 * JITTER * random);
  const until = Math.floor(now + Math.max(ms, Math.min(retryAfterMs, LONGEST_ASKED_MS)));
  return { phase: 'open', until, openings: openings + 1 };
}
