import { RULES } from '../../delivery/outcome.js';
import type { Attempt } from '../../delivery/state.js';
import type { Attempted } from '../../destination/endpoints.js';
import type { Exchange, ShownExchange } from '../../destination/exchange.js';
import { shownUrl } from '../../destination/shown-url.js';
import { nextQueueKey } from '../../store/event-log.js';
import type { EventType } from '../api/delivery-answers.js';

/** An attempt as it is kept. */
export interface RecentAttempt extends Partial<ShownExchange> {
  /** Of the event in the destination's store. */
  readonly id: string;
  /** Of the webhook, in that store. */
  readonly key: string;
  readonly url: string;
  readonly webhookId?: string;
  readonly type?: EventType;
  readonly source?: string;
  /** In ms since 1970, as are the times below. */
  readonly acceptedAt: number;
  readonly phase: 'retrying' | 'delivered' | 'dead';
  readonly number: number;
  readonly nextAttemptAt?: number;
  readonly attempt: Attempt;
  readonly message: unknown;
}

/** An attempt whose exchange is known. */
export type Exchanged = Attempted & { readonly exchange: Exchange };

/** As JSON. The body, which is JSON already, is put into it as it is. */
export function encode({ id, key, name, attempt, entry, exchange }: Exchanged): string {
  const { answer: _, ...rest } = attempt;
  const nextAttemptAt = entry && nextQueueKey(entry)?.at;
  const before = entry?.before.urls[key];
  const record: Omit<RecentAttempt, 'message' | 'webhookId' | 'type' | 'source' | 'nextAttemptAt' | 'answer'> & object =
    {
      id,
      key,
      url: shownUrl(name.endpoint),
      ...{ webhookId: name.webhookId, type: entry?.before.type, source: entry?.before.source, nextAttemptAt },
      acceptedAt: entry?.before.acceptedAt ?? attempt.at,
      phase: phaseOf(attempt, nextAttemptAt),
      number: before?.phase === 'retrying' ? before.attempts + 1 : 1,
      attempt: rest,
      ...exchange.shown(),
    };
  const { buffer, byteOffset, length } = exchange.body;
  const message = Buffer.from(buffer, byteOffset, length).toString();
  return `${JSON.stringify(record).slice(0, -1)},"message":${message}}`;
}

const phaseOf = ({ result }: Attempt, nextAttemptAt: number | undefined): RecentAttempt['phase'] =>
  RULES[result].verdict === 'delivered' ? 'delivered' : nextAttemptAt === undefined ? 'dead' : 'retrying';

/** What `encode` has written. */
export const decodeAll = (chunk: string): RecentAttempt[] => JSON.parse(chunk) as RecentAttempt[];
