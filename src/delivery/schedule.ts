const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The window that the delays fill. In a longer one the last delay is repeated until it is over. */
const SCHEDULED_WINDOW_MS = 4 * 60 * MINUTE;

/** The delays after a failed attempt, by the number of attempts made so far. */
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

/** An attempt may fall so far from its delay, as a share of it: endpoints that failed together come back apart. */
const JITTER = 0.2;

export interface RetryQuestion {
  /** Attempts made so far: 1 or more. */
  attempts: number;
  /** When the last one failed, in ms since 1970, as are the times below. */
  now: number;
  firstAttemptAt: number;
  windowMs: number;
  /** The least the endpoint asked us to wait. */
  retryAfterMs?: number | undefined;
  /** From 0 up to, but not, 1. */
  random: number;
}

export type RetryAnswer = { due: number } | { over: 'retries-used' | 'window-over' };

/**
 * Says when the next attempt is due, or why there is none. The jitter is drawn from what the window leaves of it; no attempt
 * falls after the window, nor before the time the endpoint asked for.
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
