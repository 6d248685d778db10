import { make, setText } from './dom.js';

/** A column of a list: its heading, its room, and what its cells say of an entry. */
export interface Column<E> {
  readonly heading: string;
  /** The class of its cells, with `end` where they are aligned there. */
  readonly cell: string;
  /** As in `grid-template-columns`. */
  readonly width: string;
  /** The same beside an open entry; empty: there is no room for the column. @default as `width` */
  readonly beside?: string;
  text(entry: E): string;
  /** The look of a badge. */
  look?(entry: E): string;
  /** Read out after the text, which says nothing without its heading. */
  readonly word?: string;
}

/** @param room its width, and the width beside an open entry where that is another */
export const column = <E>(
  cell: string,
  heading: string,
  [width, beside]: readonly [width: string, beside?: string],
  text: (entry: E) => string,
  more: Pick<Column<E>, 'look' | 'word'> = {},
): Column<E> => ({ cell, heading, width, ...(beside !== undefined && { beside }), text, ...more });

/** The headings, which a screen reader does not need: it reads the words of the cells. */
export function headingsOf<E>(name: string, columns: readonly Column<E>[]): HTMLElement {
  const header = make('div', `columns ${name}`);
  header.setAttribute('aria-hidden', 'true');
  for (const { heading, cell, beside } of columns) {
    header.append(make('span', classOf({ cell: cell.endsWith(' end') ? 'end' : '', beside }), heading));
  }
  return header;
}

/** Gives the columns their room below this element. */
export function layOut<E>(element: HTMLElement, columns: readonly Column<E>[]): void {
  element.style.setProperty('--wide', columns.map(({ width }) => width).join(' '));
  element.style.setProperty('--beside', columns.map(({ width, beside = width }) => beside).join(' '));
}

export function createCells<E>(row: HTMLElement, columns: readonly Column<E>[]): void {
  for (const { word, ...column } of columns) {
    const cell = make('span', classOf(column));
    if (word !== undefined) cell.append(make('span', ''), make('span', 'hidden', ` ${word}`));
    row.append(cell);
  }
}

export function showCells<E>(row: HTMLElement, entry: E, columns: readonly Column<E>[]): void {
  for (const [index, column] of columns.entries()) {
    const cell = row.children[index];
    if (cell === undefined) continue;
    setText(cell.firstElementChild ?? cell, column.text(entry));
    if (column.look !== undefined)
      cell.className = classOf({ ...column, cell: `${column.cell} ${column.look(entry)}` });
  }
}

const classOf = ({ cell, beside }: { cell: string; beside?: string | undefined }): string =>
  beside === '' ? `${cell} spare`.trim() : cell;
