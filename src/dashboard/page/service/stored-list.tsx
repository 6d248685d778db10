import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { formatCount } from '../../../base/text/plural.js';
import type { Route } from '../../../service/api/openapi-types.js';
import { passedPages, setQuery, turnPage } from '../page-router.js';
import { Button } from '../ui/detail.js';
import type { Rows } from '../ui/list.js';
import { type AnswerOf, ApiError, type ApiRequestFields, get, pathOf } from './api.js';
import { type Polled, useAnswer, usePolled } from './poll.js';

/** The routes that answer with a list. */
type ListRoute = { [R in Route]: AnswerOf<R> extends readonly unknown[] ? R : never }[Route];

const MOST = 1_000;

/** Reads a list without pages, either all of it or the newest items, and then more as the reader scrolls. */
export function useNewest<R extends ListRoute>(route: R, pageSize?: number): Rows<AnswerOf<R>[number]> {
  const [limit, setLimit] = useState(pageSize);
  const polled = useAnswer(route, { limit: limit?.toString() });
  const items = polled.value ?? [];
  const onEnd = (): void => {
    if (pageSize !== undefined && items.length === limit) setLimit(Math.min(limit + pageSize, MOST));
  };
  return { polled, items, onEnd };
}

type PageRoute = 'GET /v1/sources' | 'GET /v1/destinations' | 'GET /v1/deliveries';

/**
 * Reads the page of a list that the address asks for, or the first page if the row before that page no longer exists. Without
 * `fields` it reads nothing. `ask` gets a function that reads that page or, given a row, the page after this row.
 */
export function usePage<R extends PageRoute>(
  route: R,
  fields: ApiRequestFields | undefined,
  ask = (read: (after?: string) => Promise<AnswerOf<R>>): Promise<AnswerOf<R>> => read(),
): Polled<AnswerOf<R>> {
  const asked = fields && { ...fields, after: passedPages().at(-1) };
  return usePolled(asked === undefined ? '' : pathOf(route, asked), (signal) =>
    ask((after = asked?.after) => get(route, { ...asked, after }, signal)).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 400 && asked?.after !== undefined) setQuery({});
      throw error;
    }),
  );
}

interface NamesPageProps {
  readonly of: readonly { readonly name: string }[];
  /** The number of items on all pages. */
  readonly found: number;
  readonly size: number;
}

/** Shows the buttons that turn the pages of a list in which each page continues after the name of an item. */
export const NamesPages = ({ of: items, found, size }: NamesPageProps) => {
  const isLast = passedPages().length * size + items.length >= found;
  return <Pages {...{ size, found }} count={items.length} next={isLast ? undefined : items.at(-1)?.name} />;
};

interface PagesProps {
  readonly size: number;
  /** The number of items on this page. `found` is the number on all pages, if it is known. */
  readonly count: number;
  readonly found?: number;
  /** The place after which the next page begins; undefined on the last page. */
  readonly next: string | undefined;
  readonly children?: ComponentChildren;
}

/** Shows the buttons that turn pages, if the list has more than one. */
export function Pages({ size, count, found, next, children }: PagesProps) {
  const passed = passedPages();
  const first = passed.length * size;
  const turn = (to: readonly string[]): void => {
    turnPage(to.map(encodeURIComponent).join('/'));
    document.querySelector('.scrolled, .list')?.scrollTo(0, 0);
  };
  const isOne = passed.length === 0 && next === undefined;
  if (isOne && children === undefined) return null;
  return (
    <nav class="low bar note" aria-label="Pages">
      {children}
      {!isOne && (
        <>
          <Button disabled={passed.length === 0} onClick={() => turn(passed.slice(0, -1))}>
            Previous
          </Button>
          <p role="status">
            {formatCount(first + 1)} to {formatCount(first + count)}
            {found !== undefined && ` of ${formatCount(found)}`}
          </p>
          <Button disabled={next === undefined} onClick={() => turn([...passed, next ?? ''])}>
            Next
          </Button>
        </>
      )}
    </nav>
  );
}
