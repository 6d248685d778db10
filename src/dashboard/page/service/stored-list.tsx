import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { formatCount } from '../../../base/text/plural.js';
import type { Route } from '../../../service/api/openapi-types.js';
import { passedPages, turnPage } from '../page-router.js';
import { Button, Empty } from '../ui/detail.js';
import { type Filter, type FilterCounts, Filters, Ignored, isAnySet, NoMatch } from '../ui/filters.js';
import { type Items, List, type ListOf } from '../ui/list.js';
import type { Answer, Fields } from './api.js';
import { Panel } from './panel.js';
import { type Polled, useAnswer, usePage } from './poll.js';

/** What a list shows now. */
export interface Rows<T> extends Items<T> {
  readonly polled: Polled<unknown>;
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
}

/** A list of what the service keeps. */
export interface StoredList<T> extends ListOf<T> {
  readonly filters?: readonly Filter[];
  /** Explains the list, beside its filters. */
  readonly note?: string;
  /** Explains an empty list. */
  readonly none: readonly [title: string, text: string];
  /** Reads the items. */
  useRows(): Rows<T>;
}

/** Shows any list of the service with its filters, its pages and its open item. */
export function Stored<T>({ of: list }: { of: StoredList<T> }) {
  const { polled, counts, trouble = '', above, between, below, whyNone, ...items } = list.useRows();
  const { filters = [], note, none, noun } = list;
  const isFiltered = isAnySet(filters);
  const hasFilters = filters.some(({ draw }) => draw !== undefined) && (items.items.length > 0 || isFiltered);
  return (
    <Panel polled={polled} isDrawnAlways={isFiltered} trouble={trouble}>
      {above}
      {hasFilters && <Filters of={filters} counts={counts} note={note} />}
      <Ignored of={filters} />
      {between}
      <List
        of={list}
        {...items}
        empty={
          isFiltered ? (
            <NoMatch title={`No ${noun.toLowerCase()} matches`} of={filters}>
              {whyNone ?? 'The others are hidden by the filters.'}
            </NoMatch>
          ) : (
            <Empty title={none[0]} text={none[1]} />
          )
        }
      />
      {below}
    </Panel>
  );
}

/** The routes that answer with a list. */
type ListRoute = { [R in Route]: Answer<R> extends readonly unknown[] ? R : never }[Route];

const MOST = 1_000;

/** Reads a list without pages, either all of it or the newest items, and then more as the reader scrolls. */
export function useNewest<R extends ListRoute>(route: R, pageSize?: number): Rows<Answer<R>[number]> {
  const [limit, setLimit] = useState(pageSize);
  const polled = useAnswer(route, { limit: limit?.toString() });
  const items = polled.value ?? [];
  const onEnd = (): void => {
    if (pageSize !== undefined && items.length === limit) setLimit(Math.min(limit + pageSize, MOST));
  };
  return { polled, items, onEnd };
}

type PageRoute = 'GET /v1/sources' | 'GET /v1/destinations';

/** Reads the page of a list that the address asks for. `itemsOf` finds the items in the answer. */
export function usePaged<R extends PageRoute, T extends { readonly name: string }>(
  route: R,
  fields: Fields,
  size: number,
  itemsOf: (answer: Answer<R>) => readonly T[],
): Rows<T> & { readonly answer: Answer<R> | undefined } {
  const polled = usePage(route, fields, size);
  const answer = polled.value;
  const items = answer === undefined ? [] : itemsOf(answer);
  const found = answer?.found ?? 0;
  return { answer, polled, items, below: <Pages of={items} found={found} size={size} /> };
}

interface PagesProps {
  readonly of: readonly { readonly name: string }[];
  readonly found: number;
  readonly size: number;
}

/** Shows the buttons that turn pages, if the list has more than one. */
function Pages({ of: items, found, size }: PagesProps) {
  if (found <= size) return null;
  const passed = passedPages();
  const first = passed.length * size;
  const last = first + items.length;
  const turn = (to: readonly string[]): void => {
    turnPage(to.map(encodeURIComponent).join('/'));
    document.querySelector('.scrolled, .list')?.scrollTo(0, 0);
  };
  return (
    <nav class="low bar note" aria-label="Pages">
      <Button disabled={passed.length === 0} onClick={() => turn(passed.slice(0, -1))}>
        Previous
      </Button>
      <p role="status">
        {formatCount(first + 1)} to {formatCount(last)} of {formatCount(found)}
      </p>
      <Button disabled={last >= found} onClick={() => turn([...passed, items.at(-1)?.name ?? ''])}>
        Next
      </Button>
    </nav>
  );
}
