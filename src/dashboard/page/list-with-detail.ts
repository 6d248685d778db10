import { createCells, type RowStyle, showCells } from './rows.js';
import { type Numbered, VirtualList } from './virtual-list.js';

/** The elements that make one up. */
export interface Parts {
  /** Around both. */
  readonly pane: HTMLElement;
  readonly list: HTMLElement;
  readonly detail: HTMLElement;
  /** What is there in place of a list without entries. */
  readonly empty: HTMLElement;
}

const narrow = matchMedia('(max-width: 719px)');
const [ROW_HEIGHT, NARROW_ROW_HEIGHT] = [38, 58];

/** A list, and beside it all that there is to the entry that is selected. */
export class ListWithDetail<E extends Numbered> {
  readonly list: VirtualList<E>;
  protected readonly parts: Parts;
  readonly #detailOf: (entry: E, close: () => void) => readonly Node[];

  constructor(parts: Parts, rows: RowStyle<E>, detailOf: (entry: E, close: () => void) => readonly Node[]) {
    this.parts = parts;
    this.#detailOf = detailOf;
    this.list = new VirtualList<E>({
      host: parts.list,
      rowHeight: () => (narrow.matches ? NARROW_ROW_HEIGHT : ROW_HEIGHT),
      create: (row) => createCells(row, rows),
      show: (row, entry) => showCells(row, entry, rows),
      onSelect: (entry) => this.showDetail(entry),
    });
    parts.list.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close();
      if (event.key !== 'Enter') return;
      // Else the same press would act on the button that gets the focus.
      event.preventDefault();
      this.#enterDetail();
    });
    parts.detail.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.close();
    });
  }

  close(): void {
    this.list.select(undefined);
    this.list.focus();
  }

  protected showDetail(entry: E | undefined): void {
    const { detail, pane } = this.parts;
    detail.hidden = entry === undefined;
    pane.classList.toggle('open', entry !== undefined);
    detail.replaceChildren(...(entry === undefined ? [] : this.#detailOf(entry, () => this.close())));
  }

  /** To what there is to read or to do, or else to what closes it. */
  #enterDetail(): void {
    const first = this.parts.detail.querySelector<HTMLElement>('.json, .act');
    (first ?? this.parts.detail.querySelector('button'))?.focus();
  }
}
