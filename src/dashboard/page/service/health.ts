import { formatCount, plural } from '../../../base/text/plural.js';
import type { DestinationReport } from '../../../service/api/answers.js';
import { formatAgo, msOf } from '../moment.js';

type Failures = NonNullable<DestinationReport['endpoints'][number]['lastFailures']>;

/** How a destination is, in a word; the worst first. */
export const HEALTHS = ['failing', 'recovering', 'unsteady', 'paused', 'healthy', 'off'] as const;
export type Health = (typeof HEALTHS)[number];

export const LOOKS: Readonly<Record<Health, string>> = {
  failing: 'bad',
  recovering: 'retry',
  unsteady: 'retry',
  paused: 'alias',
  healthy: 'good',
  off: 'alias',
};

/** Less than this share of the attempts of the last hour is no longer healthy. */
const STEADY = 0.95;

export function healthOf({ enabled, paused, endpoints, lastHour, waiting }: DestinationReport): Health {
  if (paused) return 'paused';
  if (!enabled && waiting === 0) return 'off';
  if (endpoints.some(({ state, failing }) => state === 'open' || failing)) return 'failing';
  if (endpoints.some(({ state }) => state === 'half-open')) return 'recovering';
  return (lastHour?.successRate ?? 1) < STEADY ? 'unsteady' : 'healthy';
}

/** Attempts that failed one after another, in a few words: `500 × 36`, `CERT_HAS_EXPIRED`. */
export const failuresText = ({ result, inARow }: Failures): string =>
  inARow === 1 ? result : `${result} × ${formatCount(inARow)}`;

/** Why a destination is in trouble: the attempts that failed in a row at the webhook where most did; undefined where the last succeeded. */
export const worstOf = ({ endpoints }: Pick<DestinationReport, 'endpoints'>): Failures | undefined =>
  endpoints
    .flatMap(({ lastFailures }) => lastFailures ?? [])
    .reduce<Failures | undefined>((worst, each) => (each.inARow > (worst?.inARow ?? 0) ? each : worst), undefined);

/** The same in a sentence. */
export const failuresSentence = ({ result, inARow, at }: Failures, nowMs: number): string =>
  `${plural(inARow, 'attempt')} failed in a row, the last ${formatAgo(at, nowMs)}: ${result}`;

/** What a table of destinations may be in order of. */
export const ORDERS = ['health', 'name', 'success', 'p50', 'p95', 'waiting', 'dead'] as const;
export type Order = (typeof ORDERS)[number];

const healthRank = (report: DestinationReport): number => HEALTHS.indexOf(healthOf(report));

/** What each order compares; the first is first. Who was not asked in the last hour comes last. */
const KEYS: Readonly<Record<Exclude<Order, 'name'>, (report: DestinationReport) => number>> = {
  health: healthRank,
  success: ({ lastHour }) => lastHour?.successRate ?? 2,
  p50: ({ lastHour }) => -(lastHour?.p50Ms ?? -1),
  p95: ({ lastHour }) => -(lastHour?.p95Ms ?? -1),
  waiting: ({ waiting }) => -waiting,
  dead: ({ deadLetters }) => -deadLetters,
};

/** In that order, or the other way round. Equal ones follow with the more dead letters, then the more that wait, then by name. */
export function inOrder(
  reports: readonly DestinationReport[],
  order: Order,
  isReversed: boolean,
): readonly DestinationReport[] {
  const sign = isReversed ? -1 : 1;
  const byName = (a: DestinationReport, b: DestinationReport): number => a.name.localeCompare(b.name);
  if (order === 'name') return [...reports].sort((a, b) => sign * byName(a, b));
  const key = KEYS[order];
  return [...reports].sort(
    (a, b) => sign * (key(a) - key(b)) || b.deadLetters - a.deadLetters || b.waiting - a.waiting || byName(a, b),
  );
}

/** Those whose name, webhooks or sources hold the text, and that are as asked. */
export function thatMatch(
  reports: readonly DestinationReport[],
  { text, health }: { text: string; health: string },
): readonly DestinationReport[] {
  const needle = text.trim().toLowerCase();
  return reports.filter(
    (report) =>
      (health === '' || healthOf(report) === health) &&
      (needle === '' ||
        [report.name, ...report.sources, ...report.endpoints.map(({ url }) => url)].some((each) =>
          each.toLowerCase().includes(needle),
        )),
  );
}

/** Says in a title what the age of what waits is. */
export const AGE_TITLE = 'One delivery has waited at least this long; a retry that is due later may have waited longer';

/** How long a delivery has waited at least, in ms. */
export function ageOf({ waiting, oldestWaitingAt }: DestinationReport, nowMs: number): number | undefined {
  const at = msOf(oldestWaitingAt);
  return waiting === 0 || at === undefined ? undefined : Math.max(0, nowMs - at);
}
