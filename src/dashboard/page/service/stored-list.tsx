import { useState } from 'preact/hooks';
import { formatCount } from '../../../base/text/plural.js';
import type { Route } from '../../../service/api/openapi-types.js';
import { passedPages, setQuery, turnPage } from '../page-router.js';
import { Button } from '../ui/detail.js';
import type { Rows } from '../ui/listing.js';
import { type AnswerOf, ApiError, get, pathOf, type RequestFields } from './api.js';
import { useAnswer, usePolled } from './poll.js';

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

type PageRoute = 'GET /v1/sources' | 'GET /v1/destinations';

/**
 * Reads the page of a list that the address asks for, or the first page if the row before that page no longer exists. `itemsOf`
 * finds the items in the answer.
 */
export function usePaged<R extends PageRoute, T extends { readonly name: string }>(
  route: R,
  fields: RequestFields,
  size: number,
  itemsOf: (answer: AnswerOf<R>) => readonly T[],
): Rows<T> & { readonly answer: AnswerOf<R> | undefined } {
  const asked = { ...fields, limit: String(size), after: passedPages().at(-1) };
  const polled = usePolled(pathOf(route, asked), (signal) =>
    get(route, asked, signal).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 400 && asked.after !== undefined) setQuery({});
      throw error;
    }),
  );
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
