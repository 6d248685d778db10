import { useEffect, useRef } from 'preact/hooks';
import { formatCount, plural } from '../../../base/text/plural.js';
import type { DestinationPage, DestinationReport } from '../../../service/api/answers.js';
import { formatDurationOrNone, formatShare } from '../format.js';
import { formatSpan } from '../moment.js';
import { decode, formatRoute } from '../route.js';
import { opened, queryOf, setQuery, turnPage } from '../router.js';
import { Bars } from '../ui/bars.js';
import { Button, Empty } from '../ui/detail.js';
import { FilterField } from '../ui/filter-field.js';
import { Lens } from '../ui/icons.js';
import { Text } from '../ui/text.js';
import { visible } from '../ui/visible.js';
import { ApiError, get, withQuery } from './api.js';
import { Destination } from './destination.js';
import { Ignored } from './filters.js';
import {
  AGE_TITLE,
  ageOf,
  failuresSentence,
  failuresText,
  LOOKS,
  ORDERS,
  type Order,
  STATES,
  worstOf,
} from './health.js';
import { CountLink, Overview } from './overview.js';
import { Panel } from './panel.js';
import { usePolled } from './poll.js';

/** As many rows as a large screen has in sight. */
const PAGE = 25;
/** The highest count of the service. */
const MOST_COUNTED = 10_000;

/** These orders begin with the highest number, unless they are reversed. */
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
  const q = queryOf('text').trim();
  const state = STATES.find((each) => each === queryOf('state')) ?? '';
  const order = ORDERS.find((each) => each === queryOf('sort')) ?? 'state';
  const reversed = queryOf('reversed') === '' ? '' : 'true';
  const passed = passedPages();
  const fields = { q, state, sort: order, reversed, limit: String(PAGE), after: passed.at(-1) };
  const path = withQuery('/v1/destinations', fields);
  const polled = usePolled(path, (signal) => get<DestinationPage>(path, signal).catch(beginAnew));
  const page = polled.value;
  const isFiltered = q !== '' || state !== '';
  return (
    <Panel polled={polled}>
      {page === undefined || (page.found === 0 && !isFiltered) ? (
        <Empty title="No destinations" text="The configuration lists where messages go, under destinations." />
      ) : (
        <>
          <Overview summary={page.summary} />
          <Filters summary={page.summary} found={page.found} />
          <Ignored
            of={[
              ['state', 'State', state],
              ['sort', 'Order', ORDERS.find((each) => each === queryOf('sort')) ?? ''],
            ]}
          />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach its end. */}
          <section class="scrolled" tabIndex={0} aria-label="Destinations">
            <table class="board">
              <Headings order={order} isReversed={reversed !== ''} />
              <tbody>
                {page.destinations.map((report) => (
                  <Row key={report.name} report={report} />
                ))}
              </tbody>
            </table>
            {page.found === 0 && (
              <Empty title="No destination matches">
                <p>The others are hidden by the filters.</p>
                <Button onClick={() => setQuery({ text: '', state: '' })}>Reset filters</Button>
              </Empty>
            )}
          </section>
          {page.found > PAGE && <Pages page={page} passed={passed} />}
        </>
      )}
    </Panel>
  );

  /** The row after which the page begins may be gone. */
  function beginAnew(error: unknown): never {
    if (error instanceof ApiError && error.status === 400 && passed.length > 0) setQuery({});
    throw error;
  }
}

function Filters({ summary: { states }, found }: { summary: DestinationPage['summary']; found: number }) {
  const chosen = queryOf('state');
  return (
    <div class="strip filters line apart">
      <fieldset class="types bar">
        <legend class="hidden">Filter by state</legend>
        {STATES.filter((each) => states[each] > 0 || each === chosen).map((each) => (
          <Button
            key={each}
            look={`chip ${LOOKS[each]}`}
            pressed={each === chosen}
            onClick={() => setQuery({ state: each === chosen ? '' : each })}
          >
            {each} <span class="count">{formatCount(states[each])}</span>
          </Button>
        ))}
      </fieldset>
      <div class="bar">
        <span class="hidden" role="status">
          {plural(found, 'destination')}
        </span>
        <FilterField
          id="filter-destinations"
          query="text"
          label="Filter by name, source or webhook"
          placeholder="Name, source or webhook"
          icon={<Lens />}
          look="wide-field"
        />
      </div>
    </div>
  );
}

function Headings({ order, isReversed }: { order: Order; isReversed: boolean }) {
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
  const age = ageOf(report, Date.now());
  const points = lastHour?.points ?? [];
  const worst = worstOf(report);
  const badge = <span class={`badge ${LOOKS[state]}`}>{state}</span>;
  const why = worst !== undefined && (
    <span title={failuresSentence(worst, Date.now())}>{visible(failuresText(worst))}</span>
  );
  return (
    <tr class={state === 'off' ? 'off' : undefined}>
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
      </td>
      <td class="end">
        <CountLink
          text={`${formatCount(deadLetters)}${deadLetters >= MOST_COUNTED ? ' or more' : ''}`}
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

/** The last rows of the pages before the one that is shown, as the address has them. */
const passedPages = (): string[] => {
  const passed = queryOf('after');
  return passed === '' ? [] : passed.split('/').map(decode);
};

function Pages({ page, passed }: { page: DestinationPage; passed: readonly string[] }) {
  const first = passed.length * PAGE;
  const last = page.destinations.at(-1)?.name ?? '';
  const isLast = first + page.destinations.length >= page.found;
  const turn = (to: readonly string[]): void => {
    turnPage(to.map(encodeURIComponent).join('/'));
    document.querySelector('.scrolled')?.scrollTo(0, 0);
  };
  return (
    <nav class="low bar note" aria-label="Pages">
      <Button disabled={passed.length === 0} onClick={() => turn(passed.slice(0, -1))}>
        Previous
      </Button>
      <p role="status">
        {formatCount(first + 1)} to {formatCount(first + page.destinations.length)} of {formatCount(page.found)}
      </p>
      <Button disabled={isLast} onClick={() => turn([...passed, last])}>
        Next
      </Button>
    </nav>
  );
}
