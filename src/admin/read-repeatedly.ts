import { scheduler } from 'node:timers/promises';
import pRetry from 'p-retry';
import { AdminUnavailableError } from './admin-errors.js';

/** If the service asks to wait for longer than this, in milliseconds, the call fails at once. */
const LONGEST_WAIT_MS = 10_000;

/**
 * Repeats a call that only reads while the service answers with 5xx: up to three times, after one, two and four times `waitMs`,
 * each lengthened at random by up to as much, or after the time that the service asks for. A refused connection fails at once,
 * because the address may be wrong.
 *
 * @param waitMs the first waiting time, in milliseconds
 * @throws the error of the last call, or the signal's reason
 */
export const readRepeatedly = (
  read: () => Promise<unknown>,
  { signal, waitMs = 500 }: { signal?: AbortSignal | undefined; waitMs?: number } = {},
): Promise<unknown> =>
  pRetry(read, {
    retries: 3,
    minTimeout: waitMs,
    randomize: true,
    ...(signal && { signal }),
    shouldRetry: ({ error }) => isWorthAnother(error),
    onFailedAttempt: async ({ error, retriesLeft }) => {
      if (retriesLeft === 0 || !isWorthAnother(error) || error.retryAfterMs === undefined) return;
      // An abort ends this wait, and p-retry then throws the signal's reason.
      await scheduler.wait(error.retryAfterMs, { ...(signal && { signal }) }).catch(() => {});
    },
  });

const isWorthAnother = (error: Error): error is AdminUnavailableError =>
  error instanceof AdminUnavailableError && error.status >= 500 && (error.retryAfterMs ?? 0) <= LONGEST_WAIT_MS;
