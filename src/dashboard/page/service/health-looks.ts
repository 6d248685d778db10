import { formatCount, plural } from '../../../base/text/plural.js';
import type { DestinationReport, DestinationState } from '../../../service/api/answer-types.js';
import { formatAgo, formatMinute, formatSpan, msOf } from '../format-values.js';
import { wordsOf } from '../result-words.js';

type Failures = NonNullable<DestinationReport['endpoints'][number]['lastFailures']>;

/** The style of each state, the worst state first. */
export const LOOKS: Readonly<Record<DestinationState, string>> = {
  failing: 'bad',
  recovering: 'retry',
  unsteady: 'retry',
  removed: 'bad',
  paused: 'alias',
  healthy: 'good',
  off: 'alias',
};

/** Writes how often an attempt failed in a row: ` × 36`. */
export const timesText = ({ inARow }: Failures): string => (inARow === 1 ? '' : ` × ${formatCount(inARow)}`);

/** Returns `since 14:28, for 31 min` for the earliest ongoing failure, or an empty string if nothing fails. */
export function sinceText({ endpoints }: Pick<DestinationReport, 'endpoints'>, nowMs: number): string {
  const [first] = endpoints.flatMap(({ failingSince }) => failingSince ?? []).sort();
  return first === undefined ? '' : `since ${formatMinute(first, nowMs)}, for ${formatSpan(nowMs - Date.parse(first))}`;
}

/** Tells who paused or disabled the destination and when; empty if nobody did. */
export function switchText(
  { paused, pausedBy, enabled, switchedBy }: Pick<DestinationReport, 'paused' | 'pausedBy' | 'enabled' | 'switchedBy'>,
  nowMs: number,
): string {
  const by = (switched: DestinationReport['switchedBy'], otherwise: string): string =>
    switched === null ? otherwise : ` by ${switched.by} at ${formatMinute(switched.at, nowMs)}`;
  const off = enabled ? '' : `off${by(switchedBy, ' in the configuration')}`;
  return [paused ? `paused${by(pausedBy, '')}` : '', off].filter(Boolean).join(', ');
}

/** Predicts what happens next: `done in about 12 min` or, if that is unknown, `first event dies at 18:28`. */
export function endText(
  { doneAt, firstDeathAt }: Pick<DestinationReport, 'doneAt' | 'firstDeathAt'>,
  nowMs: number,
): string {
  if (doneAt !== null) return `done in about ${formatSpan(Math.max(60_000, Date.parse(doneAt) - nowMs))}`;
  return firstDeathAt === null ? '' : `first event dies at ${formatMinute(firstDeathAt, nowMs)}`;
}

/** Returns the failures of the webhook with the most in a row; undefined if the last attempt at each webhook succeeded. */
export const worstOf = ({ endpoints }: Pick<DestinationReport, 'endpoints'>): Failures | undefined =>
  endpoints
    .flatMap(({ lastFailures }) => lastFailures ?? [])
    .reduce<Failures | undefined>((worst, each) => (each.inARow > (worst?.inARow ?? 0) ? each : worst), undefined);

/** Describes failures in a sentence. */
export const failuresSentence = ({ result, inARow, at }: Failures, nowMs: number): string =>
  `${plural(inARow, 'attempt')} failed in a row, the last ${formatAgo(at, nowMs)}: ${wordsOf(result)} (${result})`;

/** The orders in which a table of destinations can be sorted. */
export const ORDERS = ['state', 'name', 'success', 'p50', 'p95', 'waiting', 'dead'] as const;

/** Explains the age that is shown beside the number of waiting deliveries. */
export const AGE_TITLE = 'One delivery has waited at least this long; a retry that is due later may have waited longer';

type WaitingReport = Pick<DestinationReport, 'waiting' | 'oldestWaitingAt'>;

/** Returns the minimum time that a delivery has waited, in ms. */
export function ageOf({ waiting, oldestWaitingAt }: WaitingReport, nowMs: number): number | undefined {
  const at = msOf(oldestWaitingAt);
  return waiting === 0 || at === undefined ? undefined : Math.max(0, nowMs - at);
}

/** Writes `1,847 for 41 min`. */
export function waitingText(of: WaitingReport, nowMs: number): string {
  const age = ageOf(of, nowMs);
  return age === undefined ? formatCount(of.waiting) : `${formatCount(of.waiting)} for ${formatSpan(age)}`;
}
