import { readTallies, type TallyQuery } from '../../ledger/counts/read-counts.js';
import { RANGES } from '../../ledger/counts/steps.js';
import { OF_DESTINATION, sourceCounts } from '../../ledger/counts/tally.js';
import type { DeliveryErrorExample } from '../../ledger/examples/delivery-errors.js';
import type { Example } from '../../ledger/examples/examples.js';
import type { RejectionExample } from '../../ledger/examples/rejections.js';
import type { ViolationExample } from '../../ledger/examples/violations.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import type {
  DeliveryErrorReport,
  DestinationHistory,
  RejectionReport,
  SourceHistory,
  ViolationReport,
} from './history-answers.js';
import { iso } from './iso.js';

type History = Omit<TallyQuery, 'subject'>;

export async function destinationHistory(keyValues: KeyValueStore, asked: History): Promise<DestinationHistory> {
  const steps = await readTallies(keyValues, { subject: 'destination', ...asked });
  const points = steps.map(({ at, tally }) => ({
    at: iso(at),
    delivered: tally.of(OF_DESTINATION.delivered),
    retried: tally.of(OF_DESTINATION.retried),
    dead: tally.of(OF_DESTINATION.dead),
    p50Ms: tally.quantile(0.5),
    p95Ms: tally.quantile(0.95),
    waiting: tally.waiting ?? null,
  }));
  return { stepMs: RANGES[asked.range].stepMs, points };
}

export async function sourceHistory(keyValues: KeyValueStore, asked: History): Promise<SourceHistory> {
  const steps = await readTallies(keyValues, { subject: 'source', ...asked });
  const points = steps.map(({ at, tally }) => ({ at: iso(at), ...sourceCounts(tally) }));
  return { stepMs: RANGES[asked.range].stepMs, points };
}

export const rejectionReport = ({
  kind: code,
  count,
  lastAt,
  example,
}: Example<RejectionExample>): RejectionReport => ({ code, count, lastAt: iso(lastAt), example });

export const violationReport = ({
  count,
  lastAt,
  example: { example, ...kind },
}: Example<ViolationExample>): ViolationReport => ({ ...kind, count, lastAt: iso(lastAt), example });

export const deliveryErrorReport = ({
  count,
  firstAt,
  lastAt,
  example: { url, webhookId, result, id, source },
}: Example<DeliveryErrorExample>): DeliveryErrorReport => ({
  webhook: { ...(webhookId !== undefined && { id: webhookId }), url },
  result,
  count,
  firstAt: iso(firstAt),
  lastAt: iso(lastAt),
  example: { id, source: source ?? null },
});
