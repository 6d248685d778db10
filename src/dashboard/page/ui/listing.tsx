import { Panel } from '../service/panel.js';
import { Table } from './columns.js';
import { Button, Empty } from './detail.js';
import { Filters, Ignored, isAnySet, reset } from './filters.js';
import { Openable, type PageList } from './list.js';

/** Shows any list of the page with its filters, its pages and its open item. */
export function Listing<T>({ of: list }: { of: PageList<T> }) {
  const rows = list.useRows();
  const { polled, items, sorted, counts, trouble = '', above, between, below, whyNone, none } = rows;
  const { filters = [], note, noun } = list;
  const isFiltered = isAnySet(filters);
  const noMatch = (
    <Empty title={`No ${noun.toLowerCase()} matches`}>
      <p>{whyNone ?? 'The others are hidden by the filters.'}</p>
      <Button onClick={() => reset(filters)}>Reset filters</Button>
    </Empty>
  );
  const empty = none ?? (isFiltered ? noMatch : <Empty title={list.none[0]} text={list.none[1]} />);
  const parts = (
    <>
      {above}
      {filters.length > 0 && <Filters of={filters} counts={counts} note={note} />}
      <Ignored of={filters} />
      {between}
      {list.useDetail === undefined ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach its end.
        <section class="scrolled" tabIndex={0} aria-label={list.label}>
          {items.length === 0 ? empty : <Table look={list.name} {...list} {...{ items, sorted }} />}
        </section>
      ) : (
        <Openable {...{ list, rows, empty }} />
      )}
      {below}
    </>
  );
  if (polled === undefined) return parts;
  return (
    <Panel polled={polled} isDrawnAlways={isFiltered} trouble={trouble}>
      {parts}
    </Panel>
  );
}
