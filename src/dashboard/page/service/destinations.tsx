import { useEffect, useRef } from 'preact/hooks';
import { formatCount, plural } from '../../../base/text/plural.js';
import type { DestinationPage } from '../../../service/api/answer-types.js';
import { decode } from '../page-route.js';
import { opened, queryOf, setQuery, turnPage } from '../page-router.js';
import { Button, Empty } from '../ui/detail.js';
import { Chips, FilterField, NoMatch } from '../ui/filter-field.js';
import { ApiError, get, withQuery } from './api.js';
import { Destination } from './destination.js';
import { DestinationBoard } from './destination-board.js';
import { Ignored } from './filters.js';
import { LOOKS, ORDERS, STATES } from './health-looks.js';
import { Overview } from './overview.js';
import { Panel } from './panel.js';
import { usePolled } from './poll.js';

/** A large screen has so many rows in sight. */
const PAGE = 25;
/** Shows all destinations, or the one that the address opens. */
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
            <DestinationBoard destinations={page.destinations} order={order} isReversed={reversed !== ''} />
            {page.found === 0 && (
              <NoMatch title="No destination matches" fields={['text', 'state']}>
                The others are hidden by the filters.
              </NoMatch>
            )}
          </section>
          {page.found > PAGE && <Pages page={page} passed={passed} />}
        </>
      )}
    </Panel>
  );

  /** Goes to the first page when the row is gone after which this page begins. */
  function beginAnew(error: unknown): never {
    if (error instanceof ApiError && error.status === 400 && passed.length > 0) setQuery({});
    throw error;
  }
}

function Filters({ summary: { states }, found }: { summary: DestinationPage['summary']; found: number }) {
  const chosen = queryOf('state');
  return (
    <div class="strip filters line apart">
      <Chips
        label="Filter by state"
        of={STATES.filter((each) => states[each] > 0 || each === chosen).map((each) => [
          each,
          LOOKS[each],
          states[each],
        ])}
        chosen={[chosen]}
        onToggle={(each) => setQuery({ state: each === chosen ? '' : each })}
      />
      <div class="bar">
        <span class="hidden" role="status">
          {plural(found, 'destination')}
        </span>
        <FilterField query="text" label="Filter by name, source or webhook" placeholder="Name, source or webhook" />
      </div>
    </div>
  );
}

/** Reads from the address the last row of each page before this one. */
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
