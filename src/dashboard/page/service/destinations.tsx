import { useEffect, useRef } from 'preact/hooks';
import { formatCount, plural } from '../../../base/text/plural.js';
import type { DestinationReport } from '../../../service/api/answers.js';
import { formatDuration, formatShare } from '../format.js';
import { formatSpan } from '../moment.js';
import { formatRoute } from '../route.js';
import { go, opened, queryOf, setQuery } from '../router.js';
import { Bars } from '../ui/bars.js';
import { Button, Empty } from '../ui/detail.js';
import { Lens } from '../ui/icons.js';
import { Text } from '../ui/text.js';
import { visible } from '../ui/visible.js';
import { get } from './api.js';
import { Destination } from './destination.js';
import {
  AGE_TITLE,
  ageOf,
  failuresSentence,
  failuresText,
  HEALTHS,
  healthOf,
  inOrder,
  LOOKS,
  ORDERS,
  type Order,
  thatMatch,
  worstOf,
} from './health.js';
import { Overview } from './overview.js';
import { Panel } from './panel.js';
import { usePolled } from './poll.js';

const PAGE = 50;
/** The highest count of the service. */
const MOST_COUNTED = 10_000;

const HEADINGS: readonly (readonly [order: Order | '', heading: string, look: string])[] = [
  ['name', 'Destination', 'name'],
  ['health', 'State', 'state'],
  ['', 'Why', 'why'],
  ['success', 'Success', 'end success'],
  ['p50', 'p50', 'end spare'],
  ['p95', 'p95', 'end spare'],
  ['waiting', 'Waiting', 'end waits'],
  ['dead', 'Dead letters', 'end'],
  ['', 'Last hour', 'chart-cell spare'],
];

/** Who is sent to and who is in trouble, or one of them. */
export function Destinations() {
  const name = opened.value;
  const before = useRef('');
  useEffect(() => {
    if (name === '' && before.current !== '' && document.activeElement === document.body)
      document.querySelector<HTMLElement>('.scrolled')?.focus();
    before.current = name;
  }, [name]);
  return name === '' ? <DestinationTable /> : <Destination key={name} name={name} />;
}

function DestinationTable() {
  const polled = usePolled('destinations', (signal) => get<DestinationReport[]>('/v1/destinations', signal));
  const all = polled.value ?? [];
  const [text, health] = [queryOf('text'), queryOf('state')];
  const order = ORDERS.find((each) => each === queryOf('sort')) ?? 'health';
  const found = inOrder(thatMatch(all, { text, health }), order, queryOf('reversed') !== '');
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  const page = Math.min(pages, Math.max(1, Number(queryOf('page')) || 1));
  return (
    <Panel polled={polled}>
      {all.length === 0 ? (
        <Empty title="No destinations">
          <p>The configuration lists where messages go, under destinations.</p>
        </Empty>
      ) : (
        <>
          <Overview destinations={all} />
          <Filters all={all} found={found.length} />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach its end. */}
          <section class="scrolled" tabIndex={0} aria-label="Destinations">
            <table class="board">
              <Headings order={order} isReversed={queryOf('reversed') !== ''} />
              <tbody>
                {found.slice((page - 1) * PAGE, page * PAGE).map((report) => (
                  <Row key={report.name} report={report} />
                ))}
              </tbody>
            </table>
            {found.length === 0 && (
              <Empty title="No destination matches">
                <p>{formatCount(all.length)} hidden by the filters.</p>
                <Button onClick={() => setQuery({ text: '', state: '', page: '' })}>Reset filters</Button>
              </Empty>
            )}
          </section>
          {pages > 1 && <Pages page={page} pages={pages} count={found.length} />}
        </>
      )}
    </Panel>
  );
}

function Filters({ all, found }: { all: readonly DestinationReport[]; found: number }) {
  const health = queryOf('state');
  const counts = new Map<string, number>();
  for (const report of all) counts.set(healthOf(report), (counts.get(healthOf(report)) ?? 0) + 1);
  const shown = HEALTHS.filter((each) => counts.has(each) || each === health);
  return (
    <div class="filters">
      <fieldset class="types">
        <legend class="hidden">Filter by state</legend>
        {shown.map((each) => (
          <Button
            key={each}
            look={`chip ${LOOKS[each]}`}
            pressed={each === health}
            onClick={() => setQuery({ state: each === health ? '' : each, page: '' })}
          >
            {each} <span class="count">{formatCount(counts.get(each) ?? 0)}</span>
          </Button>
        ))}
      </fieldset>
      <div class="fields">
        <span class="hidden" role="status">
          {plural(found, 'destination')}
        </span>
        <label class="field wide-field">
          <span class="hidden">Filter by name, source or webhook</span>
          <Lens />
          <input
            type="search"
            id="filter-destinations"
            placeholder="Name, source or webhook"
            autocomplete="off"
            spellcheck={false}
            value={queryOf('text')}
            onInput={({ currentTarget }) => setQuery({ text: currentTarget.value, page: '' })}
          />
        </label>
      </div>
    </div>
  );
}

function Headings({ order, isReversed }: { order: Order; isReversed: boolean }) {
  const sortOf = (each: Order | ''): 'ascending' | 'descending' | undefined => {
    if (each !== order) return undefined;
    return isReversed ? 'descending' : 'ascending';
  };
  const choose = (each: Order): void =>
    setQuery({ sort: each === 'health' ? '' : each, reversed: each === order && !isReversed ? '1' : '', page: '' });
  return (
    <thead>
      <tr>
        {HEADINGS.map(([each, heading, look]) => (
          <th key={heading} scope="col" class={look} aria-sort={sortOf(each)}>
            {each === '' ? (
              heading
            ) : (
              <button type="button" class="sort" onClick={() => choose(each)}>
                {heading}
              </button>
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Row({ report }: { report: DestinationReport }) {
  const { name, lastHour, waiting, deadLetters } = report;
  const health = healthOf(report);
  const age = ageOf(report, Date.now());
  const count = `${formatCount(deadLetters)}${deadLetters >= MOST_COUNTED ? ' or more' : ''}`;
  const points = lastHour?.points ?? [];
  const worst = worstOf(report);
  const badge = <span class={`badge ${LOOKS[health]}`}>{health}</span>;
  const why = worst !== undefined && (
    <span title={failuresSentence(worst, Date.now())}>{visible(failuresText(worst))}</span>
  );
  return (
    <tr class={health === 'off' ? 'off' : undefined}>
      <th scope="row" class="name">
        <a href={formatRoute({ view: 'destinations', open: name, query: {} })}>
          <Text value={name} />
        </a>
        {/* A phone has no room for columns of their own. */}
        <p class="below">
          {badge} {why}
        </p>
      </th>
      <td class="state">{badge}</td>
      <td class="why">{why}</td>
      <td class={`end success ${(lastHour?.successRate ?? 1) < 0.95 ? 'bad' : ''}`}>
        {formatShare(lastHour?.successRate)}
      </td>
      <td class="end spare">{lastHour?.p50Ms == null ? '–' : formatDuration(lastHour.p50Ms)}</td>
      <td class="end spare">{lastHour?.p95Ms == null ? '–' : formatDuration(lastHour.p95Ms)}</td>
      <td class="end waits">
        {formatCount(waiting)}
        {age !== undefined && (
          <span class="age" title={AGE_TITLE}>
            {' '}
            for {formatSpan(age)}
          </span>
        )}
      </td>
      <td class="end">
        <Button
          look={`link ${deadLetters > 0 ? 'bad' : 'none'}`}
          label={`${count} dead letters of ${visible(name)}, show them`}
          onClick={() => go('dead-letters', '', { destination: name })}
        >
          {count}
        </Button>
      </td>
      <td class="chart-cell spare">
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

function Pages({ page, pages, count }: { page: number; pages: number; count: number }) {
  const turn = (to: number): void => {
    setQuery({ page: to === 1 ? '' : String(to) });
    document.querySelector('.scrolled')?.scrollTo(0, 0);
  };
  const [first, last] = [(page - 1) * PAGE + 1, Math.min(count, page * PAGE)];
  return (
    <nav class="more" aria-label="Pages">
      <Button disabled={page === 1} onClick={() => turn(page - 1)}>
        Previous
      </Button>
      <p role="status">
        {formatCount(first)} to {formatCount(last)} of {formatCount(count)}
      </p>
      <Button disabled={page === pages} onClick={() => turn(page + 1)}>
        Next
      </Button>
    </nav>
  );
}
