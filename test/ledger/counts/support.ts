import type { Attempted } from '../../../src/destination/reports/recorder.js';
import { destinationHistory } from '../../../src/service/api/history-reports.js';
import { type LedgerUnderTest, openLedger } from '../support.js';

export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

/** Opens the ledger of one process, which counts for the destination `crm`. */
export function openCounts(options: LedgerUnderTest = {}, waiting = 0) {
  const opened = openLedger(options);
  const { ledger, clock, levels } = opened;
  levels.set('crm', waiting);
  const attempted = (status: number, durationMs = 20, destination = 'crm'): void => {
    const result = status < 300 ? 'success' : 'rejected';
    const attempt = { at: clock.now(), durationMs, result, status } as const;
    const name = { endpoint: 'k' };
    const of = { destination, id: 'm1', key: 'k', name, attempt, entry: undefined, exchange: undefined };
    ledger.counts.record(of satisfies Attempted);
  };
  return { ...opened, attempted };
}

/** Returns the last hour of `crm`, as every process sees it. */
export const hour = async ({ keyValues, clock }: ReturnType<typeof openCounts>) =>
  (await destinationHistory(keyValues, { name: 'crm', range: '1h', now: clock.now() })).points;
