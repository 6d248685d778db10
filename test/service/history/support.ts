import { expect, onTestFinished } from 'vitest';
import type { Attempted } from '../../../src/destination/reports/recorder.js';
import { History } from '../../../src/service/history/history.js';
import { destinationHistory } from '../../../src/service/history/read-history.js';
import { attemptDurations } from '../../../src/service/operations/service-metrics.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import type { Storage } from '../../../src/store/storage.js';
import { FakeClock } from '../../support/fake-clock.js';

export const MINUTE = 60_000;

/** Opens the history of one process, which counts for the destination `crm`. */
export function openHistory(
  { keyValues }: Pick<Storage, 'keyValues'> = memoryStorage(),
  clock = new FakeClock(),
  waiting = 0,
  onError = (error: unknown): void => expect.fail(String(error)),
) {
  const levels = new Map([['crm', waiting]]);
  const history = new History({
    keyValues,
    clock,
    durations: attemptDurations(),
    waiting: () => levels,
    onError,
  });
  onTestFinished(() => history.close());
  const attempted = (status: number, durationMs = 20): void => {
    const result = status < 300 ? 'success' : 'rejected';
    const attempt = { at: clock.now(), durationMs, result, status } as const;
    history.record({
      destination: 'crm',
      id: 'm1',
      key: 'k',
      name: { endpoint: 'k' },
      attempt,
      entry: undefined,
      exchange: undefined,
    } satisfies Attempted);
  };
  return { history, keyValues, clock, levels, attempted };
}

/** Returns the last hour of `crm`, as every process sees it. */
export const hour = async ({ keyValues, clock }: ReturnType<typeof openHistory>) =>
  (await destinationHistory(keyValues, { name: 'crm', range: '1h', now: clock.now() })).points;
