import { Text } from './text.js';

/** A column of a list: its heading, its room, and what its cells say of an item. */
export interface Column<T> {
  readonly heading: string;
  /** The class of its cells, with `end` where they are aligned there. */
  readonly cell: string;
  /** As in `grid-template-columns`. */
  readonly width: string;
  /** The same beside an open item; empty: there is no room for the column. @default as `width` */
  readonly beside?: string;
  text(item: T): string;
  /** The look of a badge. */
  look?(item: T): string;
  /** Shown on hover. */
  title?(item: T): string;
  /** Read out after the text, which says nothing without its heading; on a phone it is shown. */
  word?(item: T): string;
}

/** @param room its width, and the width beside an open item where that is another */
export const column = <T,>(
  cell: string,
  heading: string,
  [width, beside]: readonly [width: string, beside?: string],
  text: (item: T) => string,
  more: Pick<Column<T>, 'look' | 'word' | 'title'> = {},
): Column<T> => ({ cell, heading, width, ...(beside !== undefined && { beside }), text, ...more });

/** The room of the columns, for the style of the element around them. */
export const roomOf = <T,>(columns: readonly Column<T>[]): Record<string, string> => ({
  '--wide': columns.map(({ width }) => width).join(' '),
  '--beside': columns.map(({ width, beside = width }) => beside).join(' '),
});

/** The headings, which a screen reader does not need: it reads the words of the cells. */
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
    {columns.map(({ heading, cell, beside, text, look, title, word }) => (
      <span key={heading} class={`${cell} ${look?.(item) ?? ''} ${beside === '' ? 'spare' : ''}`} title={title?.(item)}>
        <Text value={text(item)} />
        {word !== undefined && <span class="hidden"> {word(item)}</span>}
      </span>
    ))}
  </>
);
