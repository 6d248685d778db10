const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The retry window that these delays fill. In a longer window the last delay is repeated. */
const SCHEDULED_WINDOW_MS = 4 * 60 * MINUTE;

/** The delays after a failed attempt, indexed by the number of attempts so far, minus one. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  15 * SECOND,
  45 * SECOND,
  2 * MINUTE,
  6 * MINUTE,
  15 * MINUTE,
  35 * MINUTE,
  60 * MINUTE,
  120 * MINUTE,
];

/** The greatest share of its delay by which an attempt moves, so that endpoints that failed together are spread out. */
const JITTER = 0.2;

export interface RetryQuestion {
  /** The number of attempts so far: 1 or more. */
  attempts: number;
  /** When the last attempt failed, in ms since 1970, like the times below. */
  now: number;
  firstAttemptAt: number;
  windowMs: number;
  /** The shortest wait that the endpoint asked for, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** A random number in [0, 1). */
  random: number;
}

export type RetryAnswer = { due: number } | { over: 'retries-used' | 'window-over' };

/**
 * Returns when the next attempt is due, or why there is none. The jitter stays within what is left of the window; no attempt is
 * due after the window, or before the time that the endpoint asked for.
 */
export function nextAttempt(question: RetryQuestion): RetryAnswer {
  const { attempts, now, firstAttemptAt, windowMs, retryAfterMs = 0, random } = question;
  const delayMs =
    RETRY_DELAYS_MS[attempts - 1] ?? (windowMs > SCHEDULED_WINDOW_MS ? RETRY_DELAYS_MS.at(-1) : undefined);
  if (delayMs === undefined) return { over: 'retries-used' };
  const leftMs = firstAttemptAt + windowMs - now;
  const shortestMs = Math.max(delayMs * (1 - JITTER), retryAfterMs);
  if (shortestMs > leftMs) return { over: 'window-over' };
  const longestMs = Math.min(Math.max(delayMs * (1 + JITTER), retryAfterMs), leftMs);
  return { due: Math.floor(now + shortestMs + (longestMs - shortestMs) * random) };
}
