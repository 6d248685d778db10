import type { ComponentChildren } from 'preact';
import { setQuery } from '../page-router.js';
import { Button } from './detail.js';
import { Text } from './text.js';

export interface Column<T> {
  readonly heading: string;
  /** The class of its cells, with `end` for cells that are aligned to the right. */
  readonly cell: string;
  /** The width: in a list as in `grid-template-columns`, in a table as in `width`. */
  readonly width: string;
  /** The width while an item is open beside the list. An empty one hides the column then. @default `width` */
  readonly beside?: string;
  text(item: T): string;
  /** Draws the cell in a special way instead of as plain text. */
  draw?(item: T): ComponentChildren;
  look?(item: T): string;
  /** Returns the text that is shown on hover. */
  title?(item: T): string | undefined;
  /** Returns a word that screen readers add, because the text has no meaning without its heading. A phone shows it too. */
  word?(item: T): string;
  /** In a table: true for the cell that names the row. */
  readonly isName?: boolean;
  /** In a table: the order in which a click on the heading sorts, and which end comes first. */
  readonly order?: readonly [name: string, first: 'lowest' | 'highest'];
}

type More<T> = Partial<Omit<Column<T>, 'heading' | 'cell' | 'width' | 'beside' | 'text'>>;

export const column = <T,>(
  cell: string,
  heading: string,
  [width = '', beside]: readonly [width?: string, beside?: string],
  text: (item: T) => string,
  more: More<T> = {},
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

interface CellsProps<T> {
  readonly item: T;
  readonly columns: readonly Column<T>[];
  /** True in a table. */
  readonly isTable?: boolean;
}

export const Cells = <T,>({ item, columns, isTable = false }: CellsProps<T>) => (
  <>
    {columns.map(({ heading, cell, beside, text, draw, look, title, word, isName = false }) => {
      const Tag = isName ? 'th' : isTable ? 'td' : 'span';
      const name = `${cell} ${look?.(item) ?? ''} ${beside === '' ? 'spare' : ''}`;
      return (
        <Tag key={heading} scope={isName ? 'row' : undefined} class={name} title={title?.(item)}>
          {draw?.(item) || <Text value={text(item)} />}
          {word !== undefined && <span class="hidden"> {word(item)}</span>}
        </Tag>
      );
    })}
  </>
);

export interface TableProps<T> {
  readonly look: string;
  readonly columns: readonly Column<T>[];
  readonly items: readonly T[];
  keyOf(item: T): string;
  lookOf?(item: T): string | undefined;
  /** The order of the items, and whether it is reversed, for a table that can be sorted. */
  readonly sorted?: readonly [order: string, isReversed: boolean] | undefined;
}

/** Shows items whose cells contain links or buttons, or numbers to compare. Clicking a heading sorts the table by its column. */
export const Table = <T,>({ look, columns, items, keyOf, lookOf, sorted }: TableProps<T>) => (
  <table class={look}>
    <thead>
      <tr>
        {columns.map(({ heading, cell, width, order }) => (
          <th key={heading} scope="col" class={cell} style={{ '--width': width }} aria-sort={sortOf(order, sorted)}>
            {order === undefined ? heading : <SortButton {...{ heading, order, sorted }} />}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {items.map((item) => (
        <tr key={keyOf(item)} class={lookOf?.(item)}>
          <Cells isTable {...{ item, columns }} />
        </tr>
      ))}
    </tbody>
  </table>
);

type Order = Column<never>['order'];
type Sorted = TableProps<never>['sorted'];

function sortOf(order: Order, sorted: Sorted): 'ascending' | 'descending' | undefined {
  if (order === undefined || order[0] !== sorted?.[0]) return undefined;
  return sorted[1] === (order[1] === 'highest') ? 'ascending' : 'descending';
}

/** Sorts by a column or, if the table is sorted by it already, reverses the order. */
function SortButton({ heading, order, sorted }: { heading: string; order: NonNullable<Order>; sorted: Sorted }) {
  const [by, isReversed] = sorted ?? [];
  const sort = (): void => setQuery({ sort: order[0], reversed: order[0] === by && !isReversed ? '1' : '' });
  return (
    <Button look="sort" onClick={sort}>
      {heading}
    </Button>
  );
}
