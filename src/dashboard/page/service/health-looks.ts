import { formatCount, plural } from '../../../base/text/plural.js';
import type { DestinationReport, DestinationState } from '../../../service/api/answer-types.js';
import { formatAgo, formatMinute, formatSpan, msOf } from '../format-values.js';
import { wordsOf } from '../result-words.js';

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

/** Writes how often an attempt failed in a row: ` × 36`. */
export const timesText = ({ inARow }: Failures): string => (inARow === 1 ? '' : ` × ${formatCount(inARow)}`);

/** Returns `since 14:28, for 31 min` for the earliest ongoing failure, or an empty string if nothing fails. */
export function sinceText({ endpoints }: Pick<DestinationReport, 'endpoints'>, nowMs: number): string {
  const [first] = endpoints.flatMap(({ failingSince }) => failingSince ?? []).sort();
  return first === undefined ? '' : `since ${formatMinute(first, nowMs)}, for ${formatSpan(nowMs - Date.parse(first))}`;
}

/** Says who has paused it or turned it off, and when; an empty string if nobody has. */
export function switchText(
  { paused, pausedBy, enabled, switchedBy }: Pick<DestinationReport, 'paused' | 'pausedBy' | 'enabled' | 'switchedBy'>,
  nowMs: number,
): string {
  const by = (switched: DestinationReport['switchedBy'], otherwise: string): string =>
    switched === null ? otherwise : ` by ${switched.by} at ${formatMinute(switched.at, nowMs)}`;
  const off = enabled ? '' : `off${by(switchedBy, ' in the configuration')}`;
  return [paused ? `paused${by(pausedBy, '')}` : '', off].filter(Boolean).join(', ');
}

/** Says when it will be over: `done in about 12 min`, or else `first event dies at 18:28`. */
export function endText(
  { doneAt, firstDeathAt }: Pick<DestinationReport, 'doneAt' | 'firstDeathAt'>,
  nowMs: number,
): string {
  if (doneAt !== null) return `done in about ${formatSpan(Math.max(60_000, Date.parse(doneAt) - nowMs))}`;
  return firstDeathAt === null ? '' : `first event dies at ${formatMinute(firstDeathAt, nowMs)}`;
}

/** Returns the failures at the webhook where most attempts failed in a row; undefined where each last attempt succeeded. */
export const worstOf = ({ endpoints }: Pick<DestinationReport, 'endpoints'>): Failures | undefined =>
  endpoints
    .flatMap(({ lastFailures }) => lastFailures ?? [])
    .reduce<Failures | undefined>((worst, each) => (each.inARow > (worst?.inARow ?? 0) ? each : worst), undefined);

/** Describes them in a sentence. */
export const failuresSentence = ({ result, inARow, at }: Failures, nowMs: number): string =>
  `${plural(inARow, 'attempt')} failed in a row, the last ${formatAgo(at, nowMs)}: ${wordsOf(result)} (${result})`;

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
