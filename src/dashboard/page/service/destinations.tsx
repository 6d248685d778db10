import { useEffect, useRef } from 'preact/hooks';
import { formatCount, plural } from '../../../base/text/plural.js';
import type { DestinationPage } from '../../../service/api/answer-types.js';
import { formatRoute } from '../page-route.js';
import { opened, queryOf, setQuery } from '../page-router.js';
import { Empty } from '../ui/detail.js';
import { Chips, FilterField, NoMatch } from '../ui/filter-field.js';
import { Pages } from '../ui/pages.js';
import { Destination } from './destination.js';
import { DestinationBoard } from './destination-board.js';
import { Ignored } from './filters.js';
import { LOOKS, ORDERS, STATES } from './health-looks.js';
import { Overview } from './overview.js';
import { Panel } from './panel.js';
import { usePage } from './poll.js';

/** The number of rows per page, which is about what a large screen shows. */
const PAGE = 25;

/** Shows all destinations, or the one that the address opens. */
export function Destinations() {
  const name = opened.value;
  const before = useRef('');
  useEffect(() => {
    if (name === '' && before.current !== '' && document.activeElement === document.body)
      linkTo(before.current)?.focus();
    before.current = name;
  }, [name]);
  return name === '' ? <DestinationTable /> : <Destination key={name} name={name} />;
}

/** Finds the link to a destination or, if there is none, the table, which can be scrolled with the keyboard. */
const linkTo = (name: string): HTMLElement | null =>
  [...document.querySelectorAll<HTMLElement>('.board a')].find(
    (link) => link.getAttribute('href') === formatRoute({ view: 'destinations', open: name, query: {} }),
  ) ?? document.querySelector<HTMLElement>('.scrolled');

function DestinationTable() {
  const q = queryOf('text').trim();
  const state = STATES.find((each) => each === queryOf('state')) ?? '';
  const order = ORDERS.find((each) => each === queryOf('sort')) ?? 'state';
  const reversed = queryOf('reversed') === '' ? '' : 'true';
  const polled = usePage<DestinationPage>('/v1/destinations', { q, state, sort: order, reversed }, PAGE);
  const page = polled.value;
  const failing = page?.summary.states.failing ?? 0;
  const isFiltered = q !== '' || state !== '';
  return (
    <Panel polled={polled} trouble={failing === 0 ? '' : `${formatCount(failing)} failing`}>
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
          <Pages of={page.destinations} found={page.found} size={PAGE} />
        </>
      )}
    </Panel>
  );
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
