import { formatCount } from '../../../base/text/plural.js';
import type { DestinationReport } from '../../../service/api/answer-types.js';
import { formatDurationOrNone, formatShare, formatSpan } from '../format-values.js';
import { formatRoute } from '../page-route.js';
import { setQuery } from '../page-router.js';
import { Bars } from '../ui/bars.js';
import { Button } from '../ui/detail.js';
import { Result } from '../ui/result.js';
import { Text } from '../ui/text.js';
import { visible } from '../ui/visible.js';
import {
  AGE_TITLE,
  ageOf,
  endText,
  failuresSentence,
  LOOKS,
  type Order,
  sinceText,
  switchText,
  timesText,
  worstOf,
} from './health-looks.js';
import { CountLink } from './overview.js';

/** The service does not count beyond this. */
const MOST_COUNTED = 10_000;

/** In these orders the highest number comes first, unless they are reversed. */
const HIGHEST_FIRST: readonly string[] = ['p50', 'p95', 'waiting', 'dead'];

const HEADINGS: readonly (readonly [order: Order | '', heading: string, look: string])[] = [
  ['name', 'Destination', 'name'],
  ['state', 'State', 'state'],
  ['', 'Why', 'why'],
  ['success', 'Success', 'end success'],
  ['p50', 'p50', 'end spare'],
  ['p95', 'p95', 'end spare'],
  ['waiting', 'Waiting', 'end waits'],
  ['dead', 'Dead letters', 'end'],
  ['', 'Last hour', 'end chart-cell spare'],
];

export interface DestinationBoardProps {
  readonly destinations: readonly DestinationReport[];
  readonly order: Order;
  readonly isReversed: boolean;
}

/** Shows a row for each destination. Clicking a heading sorts the table by its column. */
export const DestinationBoard = ({ destinations, ...sorted }: DestinationBoardProps) => (
  <table class="board">
    <Headings {...sorted} />
    <tbody>
      {destinations.map((report) => (
        <Row key={report.name} report={report} />
      ))}
    </tbody>
  </table>
);

function Headings({ order, isReversed }: Omit<DestinationBoardProps, 'destinations'>) {
  const sortOf = (each: Order | ''): 'ascending' | 'descending' | undefined => {
    if (each !== order) return undefined;
    return isReversed === HIGHEST_FIRST.includes(each) ? 'ascending' : 'descending';
  };
  const choose = (each: Order): void =>
    setQuery({ sort: each === 'state' ? '' : each, reversed: each === order && !isReversed ? '1' : '' });
  return (
    <thead>
      <tr>
        {HEADINGS.map(([each, heading, look]) => (
          <th key={heading} scope="col" class={look} aria-sort={sortOf(each)}>
            {each === '' ? (
              heading
            ) : (
              <Button look="sort" onClick={() => choose(each)}>
                {heading}
              </Button>
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Row({ report }: { report: DestinationReport }) {
  const { name, state, lastHour, waiting, deadLetters } = report;
  const nowMs = Date.now();
  const age = ageOf(report, nowMs);
  const points = lastHour?.points ?? [];
  const worst = worstOf(report);
  const badge = <span class={`badge ${LOOKS[state]}`}>{state}</span>;
  const times = [switchText(report, nowMs), sinceText(report, nowMs)].filter(Boolean).join(' · ');
  const since = <p class="note">{visible(times)}</p>;
  const end = <p class="note">{endText(report, nowMs)}</p>;
  const why = worst !== undefined && <Result of={worst.result} times={timesText(worst)} />;
  return (
    <tr class={state === 'off' ? 'off' : undefined}>
      <th scope="row" class="name">
        <a href={formatRoute({ view: 'destinations', open: name, query: {} })}>
          <Text value={name} />
        </a>
        {/* A phone has no space for separate columns. */}
        <p class="below">
          {badge} {why}
        </p>
        <div class="below">{since}</div>
        <div class="below">{end}</div>
      </th>
      <td class="state">{badge}</td>
      <td class="why" title={worst && failuresSentence(worst, nowMs)}>
        {why}
        {since}
      </td>
      <td class={`end success ${(lastHour?.successRate ?? 1) < 0.95 ? 'bad' : ''}`}>
        {formatShare(lastHour?.successRate)}
      </td>
      <td class="end spare">{formatDurationOrNone(lastHour?.p50Ms)}</td>
      <td class="end spare">{formatDurationOrNone(lastHour?.p95Ms)}</td>
      <td class="end waits">
        {formatCount(waiting)}
        {age !== undefined && (
          <span class="age" title={AGE_TITLE}>
            {' '}
            for {formatSpan(age)}
          </span>
        )}
        {end}
      </td>
      <td class="end">
        <CountLink
          text={`${formatCount(deadLetters)}${deadLetters >= MOST_COUNTED ? '+' : ''}`}
          of={name}
          phase="dead"
          look={deadLetters > 0 ? 'bad' : 'none'}
        />
      </td>
      <td class="end chart-cell spare">
        <Bars
          class="spark"
          counts={points.map(({ delivered, failed }) => delivered + failed)}
          bad={points.map(({ failed }) => failed)}
          width={120}
          height={20}
        />
      </td>
    </tr>
  );
}
