/** Whether an endpoint is given requests: all that fit, none for a while, or a single one to see. */
export type Breaker =
  | { readonly phase: 'open'; readonly failures: number }
  | { readonly phase: 'paused'; readonly until: number; readonly pauses: number }
  | { readonly phase: 'probing'; readonly pauses: number };

/** How many attempts in a row fail before the endpoint is paused. */
const FAILURES_TO_PAUSE = 10;

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
const JITTER = 0.2;

/** The longest pause an endpoint can ask for with Retry-After. */
const LONGEST_ASKED_MS = 60 * 60_000;

export const OPEN: Breaker = { phase: 'open', failures: 0 };

export interface Failure {
  readonly now: number;
  /** From 0 up to, but not, 1. */
  readonly chance: number;
  readonly retryAfterMs: number | undefined;
  /** Whether it was the one request that was let through to see. */
  readonly wasProbe: boolean;
}

/** An attempt failed in a way that says the endpoint is not well. */
export function afterFailure(breaker: Breaker, failure: Failure): Breaker {
  // Requests from before the pause still come back; they say nothing new.
  if (breaker.phase !== 'open') return failure.wasProbe ? pause(breaker.pauses, failure) : breaker;
  const failures = breaker.failures + 1;
  return failures < FAILURES_TO_PAUSE ? { phase: 'open', failures } : pause(0, failure);
}

/** The pause is over: one request may go. */
export const probe = (breaker: Breaker, now: number): Breaker =>
  breaker.phase === 'paused' && now >= breaker.until ? { phase: 'probing', pauses: breaker.pauses } : breaker;

function pause(pauses: number, { now, chance, retryAfterMs = 0 }: Failure): Breaker {
  const ms = Math.min(FIRST_PAUSE_MS * 2 ** pauses, LONGEST_PAUSE_MS) * (1 - JITTER + 2 * JITTER * chance);
  const until = Math.floor(now + Math.max(ms, Math.min(retryAfterMs, LONGEST_ASKED_MS)));
  return { phase: 'paused', until, pauses: pauses + 1 };
}
