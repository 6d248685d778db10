import { formatCount, plural } from '../../../base/text/plural.js';
import type { DestinationReport, DestinationState } from '../../../service/api/answer-types.js';
import { formatAgo, formatSpan, msOf } from '../format-values.js';

type Failures = NonNullable<DestinationReport['endpoints'][number]['lastFailures']>;

/** The states with their looks, the worst first. */
export const LOOKS: Readonly<Record<DestinationState, string>> = {
  failing: 'bad',
  recovering: 'retry',
  unsteady: 'retry',
  removed: 'bad',
  paused: 'alias',
  healthy: 'good',
  off: 'alias',
};

export const STATES = Object.keys(LOOKS) as DestinationState[];

/** Describes attempts that failed in a row in a few words: `500 × 36`, `CERT_HAS_EXPIRED`. */
export const failuresText = ({ result, inARow }: Failures): string =>
  inARow === 1 ? result : `${result} × ${formatCount(inARow)}`;

/** Returns the failures at the webhook where most attempts failed in a row; undefined where each last attempt succeeded. */
export const worstOf = ({ endpoints }: Pick<DestinationReport, 'endpoints'>): Failures | undefined =>
  endpoints
    .flatMap(({ lastFailures }) => lastFailures ?? [])
    .reduce<Failures | undefined>((worst, each) => (each.inARow > (worst?.inARow ?? 0) ? each : worst), undefined);

/** Describes them in a sentence. */
export const failuresSentence = ({ result, inARow, at }: Failures, nowMs: number): string =>
  `${plural(inARow, 'attempt')} failed in a row, the last ${formatAgo(at, nowMs)}: ${result}`;

/** A table of destinations can be sorted by these. */
export const ORDERS = ['state', 'name', 'success', 'p50', 'p95', 'waiting', 'dead'] as const;
export type Order = (typeof ORDERS)[number];

/** Explains the age that stands beside the number of waiting deliveries. */
export const AGE_TITLE = 'One delivery has waited at least this long; a retry that is due later may have waited longer';

type Waiting = Pick<DestinationReport, 'waiting' | 'oldestWaitingAt'>;

/** Returns how long a delivery has waited at least, in ms. */
export function ageOf({ waiting, oldestWaitingAt }: Waiting, nowMs: number): number | undefined {
  const at = msOf(oldestWaitingAt);
  return waiting === 0 || at === undefined ? undefined : Math.max(0, nowMs - at);
}

/** Writes `1,847 for 41 min`. */
export function waitingText(of: Waiting, nowMs: number): string {
  const age = ageOf(of, nowMs);
  return age === undefined ? formatCount(of.waiting) : `${formatCount(of.waiting)} for ${formatSpan(age)}`;
}
