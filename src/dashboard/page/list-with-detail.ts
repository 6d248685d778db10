import { type Column, createCells, headingsOf, layOut, showCells } from './columns.js';
import { make, withAttributes } from './dom.js';
import { type Numbered, VirtualList } from './virtual-list.js';

export interface ListOptions<E> {
  /** Part of ids and classes: `messages`. */
  readonly name: string;
  /** What the list is of, read out. */
  readonly label: string;
  /** What an entry of it is. */
  readonly detailLabel: string;
  readonly columns: readonly Column<E>[];
}

const narrow = matchMedia('(max-width: 719px)');
const [ROW_HEIGHT, NARROW_ROW_HEIGHT] = [38, 58];

/** A list, and beside it all that there is to the entry that is selected. */
export class ListWithDetail<E extends Numbered> {
  readonly list: VirtualList<E>;
  readonly pane: HTMLElement;
  readonly #empty: HTMLElement;
  readonly #detail: HTMLElement;
  readonly #detailOf: (entry: E, close: () => void) => readonly Node[];

  /** @param empty shown in place of an empty list; inside the pane, in its own element */
  constructor(
    pane: HTMLElement,
    empty: HTMLElement,
    { name, label, detailLabel, columns }: ListOptions<E>,
    detailOf: (entry: E, close: () => void) => readonly Node[],
  ) {
    this.pane = pane;
    this.#empty = empty;
    this.#detailOf = detailOf;
    const attributes = { id: `list-${name}`, role: 'listbox', tabindex: '0', 'aria-label': label, hidden: '' };
    const host = withAttributes(make('div', `list ${name}`), attributes);
    this.#detail = withAttributes(make('aside', 'detail'), {
      id: `detail-${name}`,
      'aria-label': detailLabel,
      hidden: '',
    });
    layOut(pane, columns);
    empty.before(headingsOf(name, columns), host);
    pane.append(this.#detail);
    this.list = new VirtualList<E>({
      host,
      rowHeight: () => (narrow.matches ? NARROW_ROW_HEIGHT : ROW_HEIGHT),
      create: (row) => createCells(row, columns),
      show: (row, entry) => showCells(row, entry, columns),
      onSelect: (entry) => this.#showDetail(entry),
    });
    host.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close();
      if (event.key !== 'Enter') return;
      // Else the same press would act on the button that gets the focus.
      event.preventDefault();
      this.#enterDetail();
    });
    this.#detail.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.close();
    });
  }

  close(): void {
    this.list.select(undefined);
    this.list.focus();
  }

  /** Shows whether there is anything, and whether anything of it is to be seen. */
  protected showFilled(size: number, visible: number): void {
    this.#empty.hidden = size > 0;
    this.pane.classList.toggle('filled', visible > 0);
  }

  #showDetail(entry: E | undefined): void {
    this.#detail.hidden = entry === undefined;
    this.pane.classList.toggle('open', entry !== undefined);
    this.#detail.replaceChildren(...(entry === undefined ? [] : this.#detailOf(entry, () => this.close())));
  }

  /** Focuses the content or the first action, or else the button that closes. */
  #enterDetail(): void {
    const first = this.#detail.querySelector<HTMLElement>('.json, .act');
    (first ?? this.#detail.querySelector('button'))?.focus();
  }
}
