import type { ComponentChildren } from 'preact';
import { Text } from './text.js';

export interface Column<T> {
  readonly heading: string;
  /** The class of its cells, with `end` for cells that are aligned to the right. */
  readonly cell: string;
  /** The width, as in `grid-template-columns`. */
  readonly width: string;
  /** The width while an item is open beside the list. An empty one hides the column then. @default `width` */
  readonly beside?: string;
  text(item: T): string;
  /** Draws the cell in a special way instead of as plain text. */
  draw?(item: T): ComponentChildren;
  look?(item: T): string;
  /** Returns the text that is shown on hover. */
  title?(item: T): string;
  /** Returns a word that screen readers add, because the text has no meaning without its heading. A phone shows it too. */
  word?(item: T): string;
}

export const column = <T,>(
  cell: string,
  heading: string,
  [width, beside]: readonly [width: string, beside?: string],
  text: (item: T) => string,
  more: Pick<Column<T>, 'draw' | 'look' | 'word' | 'title'> = {},
): Column<T> => ({ cell, heading, width, ...(beside !== undefined && { beside }), text, ...more });

/** Returns the widths of the columns as custom CSS properties for the element around them. */
export const roomOf = <T,>(columns: readonly Column<T>[]): Record<string, string> => ({
  '--wide': columns.map(({ width }) => width).join(' '),
  '--beside': columns.map(({ width, beside = width }) => beside).join(' '),
});

/** Screen readers skip the headings, because they read the words of the cells. */
export const Headings = <T,>({ name, columns }: { name: string; columns: readonly Column<T>[] }) => (
  <div class={`columns ${name}`} aria-hidden="true">
    {columns.map(({ heading, cell, beside }) => (
      <span key={heading} class={`${cell.endsWith(' end') ? 'end' : ''} ${beside === '' ? 'spare' : ''}`}>
        {heading}
      </span>
    ))}
  </div>
);

export const Cells = <T,>({ item, columns }: { item: T; columns: readonly Column<T>[] }) => (
  <>
    {columns.map(({ heading, cell, beside, text, draw, look, title, word }) => (
      <span key={heading} class={`${cell} ${look?.(item) ?? ''} ${beside === '' ? 'spare' : ''}`} title={title?.(item)}>
        {draw?.(item) || <Text value={text(item)} />}
        {word !== undefined && <span class="hidden"> {word(item)}</span>}
      </span>
    ))}
  </>
);
