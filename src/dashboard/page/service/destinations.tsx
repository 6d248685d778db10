import { useEffect, useRef } from 'preact/hooks';
import { formatCount, plural } from '../../../base/text/plural.js';
import type { DestinationReport } from '../../../service/api/answer-types.js';
import { formatDurationOrNone, formatShare, formatSpan } from '../format-values.js';
import { formatRoute } from '../page-route.js';
import { opened, queryOf } from '../page-router.js';
import { Bars } from '../ui/bars.js';
import { column } from '../ui/columns.js';
import { chips, type Filter, isAnySet, takenBy, text } from '../ui/filters.js';
import type { PageList } from '../ui/list.js';
import { Listing } from '../ui/listing.js';
import { Result } from '../ui/result.js';
import { Text } from '../ui/text.js';
import { visible } from '../ui/visible.js';
import { Destination } from './destination.js';
import {
  AGE_TITLE,
  ageOf,
  endText,
  failuresSentence,
  LOOKS,
  ORDERS,
  sinceText,
  switchText,
  timesText,
  worstOf,
} from './health-looks.js';
import { CountLink, Overview } from './overview.js';
import { NamesPages, usePage } from './stored-list.js';

/** Shows all destinations, or the one that the address opens. */
export function Destinations() {
  const name = opened.value;
  const before = useRef('');
  useEffect(() => {
    if (name === '' && before.current !== '' && document.activeElement === document.body)
      linkTo(before.current)?.focus();
    before.current = name;
  }, [name]);
  return name === '' ? <Listing of={destinations} /> : <Destination key={name} name={name} />;
}

const addressOf = (name: string): string => formatRoute({ view: 'destinations', open: name, query: {} });

/** Finds the link to a destination or, if there is none, the table, which can be scrolled with the keyboard. */
const linkTo = (name: string): HTMLElement | null =>
  [...document.querySelectorAll<HTMLElement>('.board a')].find(
    (link) => link.getAttribute('href') === addressOf(name),
  ) ?? document.querySelector<HTMLElement>('.scrolled');

const orderIn = (value: string) => ORDERS.find((each) => each === value) ?? '';

const filters: readonly Filter[] = [
  chips('state', 'State', LOOKS, false),
  text('text', 'Filter by name, source or webhook', { as: 'q', placeholder: 'Name, source or webhook' }),
  // The headings set the order.
  { field: 'sort', label: 'Order', isOrder: true, take: orderIn },
  { field: 'reversed', label: 'Reversed', isOrder: true, take: () => 'true' },
];

const drawState = ({ state }: DestinationReport) => <span class={`badge ${LOOKS[state]}`}>{state}</span>;

/** Draws the name and, below it, why the destination needs attention, since when, and what happens next. */
function drawName(report: DestinationReport) {
  const nowMs = Date.now();
  const worst = worstOf(report);
  const times = [switchText(report, nowMs), sinceText(report, nowMs), endText(report, nowMs)].filter(Boolean);
  return (
    <>
      <a href={addressOf(report.name)}>
        <Text value={report.name} />
      </a>
      {(worst !== undefined || times.length > 0) && (
        <p class="why" title={worst && failuresSentence(worst, nowMs)}>
          {worst && <Result of={worst.result} times={timesText(worst)} />}{' '}
          <span class="note">{visible(times.join(' · '))}</span>
        </p>
      )}
    </>
  );
}

/** About as many rows as fit on a large screen. */
const PAGE_SIZE = 25;
/** The service does not count beyond this. */
const MOST_COUNTED = 10_000;

/** The destinations, with a row for each. Each has a page of its own. */
const destinations: PageList<DestinationReport> = {
  ...{ name: 'board', label: 'Destinations', noun: 'Destination', filters },
  none: ['No destinations', 'The configuration lists where messages go, under destinations.'],
  keyOf: ({ name }) => name,
  lookOf: ({ state }) => (state === 'off' ? 'off' : ''),
  useRows() {
    const order = orderIn(queryOf('sort')) || 'state';
    const polled = usePage('GET /v1/destinations', { ...takenBy(filters), sort: order, limit: String(PAGE_SIZE) });
    const { destinations: items = [], found = 0, summary } = polled.value ?? {};
    const { states } = summary ?? {};
    const counts = Object.entries(states ?? {}).filter(([, count]) => count > 0);
    return {
      ...{ polled, items, below: <NamesPages of={items} found={found} size={PAGE_SIZE} /> },
      counts: Object.fromEntries(counts),
      trouble: states && states.failing > 0 ? `${formatCount(states.failing)} failing` : '',
      above: summary && (found > 0 || isAnySet(filters)) && <Overview summary={summary} />,
      between: (
        <p class="hidden" role="status">
          {plural(found, 'destination')}
        </p>
      ),
      sorted: [order, queryOf('reversed') !== ''],
    };
  },
  columns: [
    column('name', 'Destination', [], ({ name }) => name, { isName: true, order: ['name', 'lowest'], draw: drawName }),
    column('state', 'State', ['98px'], ({ state }) => state, { order: ['state', 'lowest'], draw: drawState }),
    column('end success', 'Success', ['104px'], ({ lastHour }) => formatShare(lastHour?.successRate), {
      order: ['success', 'lowest'],
      look: ({ lastHour }) => ((lastHour?.successRate ?? 1) < 0.95 ? 'bad' : ''),
    }),
    ...(['p50', 'p95'] as const).map((each) =>
      column<DestinationReport>(
        ...(['end spare', each, ['88px']] as const),
        ({ lastHour }) => formatDurationOrNone(lastHour?.[`${each}Ms`]),
        { order: [each, 'highest'] },
      ),
    ),
    column('end waits', 'Waiting', ['190px'], () => '', { order: ['waiting', 'highest'], draw: drawWaiting }),
    column('end', 'Dead letters', ['104px'], () => '0', {
      order: ['dead', 'highest'],
      draw: ({ name, deadLetters: dead }) =>
        dead > 0 && (
          <CountLink
            text={`${formatCount(dead)}${dead >= MOST_COUNTED ? '+' : ''}`}
            of={name}
            phase="dead"
            look="bad"
          />
        ),
    }),
    column('end spare', 'Last hour', ['140px'], () => '', { draw: drawHour }),
  ],
};

function drawWaiting(report: DestinationReport) {
  const age = ageOf(report, Date.now());
  return (
    <>
      {formatCount(report.waiting)}
      {age !== undefined && (
        <span class="note" title={AGE_TITLE}>
          {' '}
          for {formatSpan(age)}
        </span>
      )}
    </>
  );
}

function drawHour({ lastHour }: DestinationReport) {
  const points = lastHour?.points ?? [];
  return (
    <Bars
      class="spark"
      layers={[
        { counts: points.map(({ delivered, failed }) => delivered + failed) },
        { counts: points.map(({ failed }) => failed), colour: 'var(--bad)' },
      ]}
      width={112}
      height={20}
    />
  );
}
