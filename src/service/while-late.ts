import { RedisFailedError } from '../store/store-errors.js';
import type { Log } from './service-log.js';

/** How long a store that answers too late is retried at the start, in ms. */
const PATIENCE_MS = 60_000;

/** Retries opening while Redis is slow: it may be reading its file, writing a snapshot, or failing over. */
export async function whileLate<T>(
  open: () => Promise<T>,
  { log, signal, now = () => performance.now() }: { log: Log; signal?: AbortSignal | undefined; now?: () => number },
): Promise<T> {
  const until = now() + PATIENCE_MS;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      const isLate = error instanceof RedisFailedError && error.isLate;
      if (!isLate || signal?.aborted || now() >= until) throw error;
      log.warn({ error: error.message }, 'Redis is slow to answer; the service tries again to start');
    }
  }
}
