import type { ComponentChildren } from 'preact';
import { Panel } from '../service/panel.js';
import type { Polled } from '../service/poll.js';
import { Empty } from './detail.js';
import { type Filter, type FilterCounts, Filters, Ignored, isAnySet, NoMatch } from './filters.js';
import { type Items, List, type ListOf } from './list.js';

/** What a list shows now. */
export interface Rows<T> extends Items<T> {
  /** The last answer of the service, for a list that asks it. */
  readonly polled?: Polled<unknown>;
  /** The number of items for each switch of a filter. */
  readonly counts?: FilterCounts | undefined;
  /** What fails, for the title of the page. */
  readonly trouble?: string;
  readonly above?: ComponentChildren;
  /** What is shown between the filters and the list. */
  readonly between?: ComponentChildren;
  readonly below?: ComponentChildren;
  /** Says why nothing matches the filters. */
  readonly whyNone?: ComponentChildren;
  /** Is shown instead of any other explanation of an empty list. */
  readonly none?: ComponentChildren;
}

/** A list of the page: where its items come from, how they are filtered and drawn, and what is shown of an open one. */
export interface PageList<T> extends ListOf<T> {
  readonly filters?: readonly Filter[];
  /** Explains the list, beside its filters. */
  readonly note?: string;
  /** Explains an empty list. */
  readonly none: readonly [title: string, text: string];
  /** Reads the items. */
  useRows(): Rows<T>;
}

/** Shows any list of the page with its filters, its pages and its open item. */
export function Listing<T>({ of: list }: { of: PageList<T> }) {
  const { polled, counts, trouble = '', above, between, below, whyNone, none, ...items } = list.useRows();
  const { filters = [], note, noun } = list;
  const isFiltered = isAnySet(filters);
  const noMatch = (
    <NoMatch title={`No ${noun.toLowerCase()} matches`} of={filters}>
      {whyNone ?? 'The others are hidden by the filters.'}
    </NoMatch>
  );
  const empty = none ?? (isFiltered ? noMatch : <Empty title={list.none[0]} text={list.none[1]} />);
  const parts = (
    <>
      {above}
      {filters.length > 0 && <Filters of={filters} counts={counts} note={note} />}
      <Ignored of={filters} />
      {between}
      <List of={list} {...items} empty={empty} />
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
