import { formatCount } from '../../../base/text/plural.js';
import { passedPages, turnPage } from '../page-router.js';
import { Button } from './detail.js';

interface PagesProps {
  /** The rows of the page that is shown. */
  readonly of: readonly { readonly name: string }[];
  /** The number of rows on all pages. */
  readonly found: number;
  /** The number of rows on a full page. */
  readonly size: number;
}

/** Shows the buttons that turn pages, if the list has more than one. */
export function Pages({ of, found, size }: PagesProps) {
  if (found <= size) return null;
  const passed = passedPages();
  const first = passed.length * size;
  const last = first + of.length;
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
      <Button disabled={last >= found} onClick={() => turn([...passed, of.at(-1)?.name ?? ''])}>
        Next
      </Button>
    </nav>
  );
}
