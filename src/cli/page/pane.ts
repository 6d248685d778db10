import type { Entry } from '../dev/entry.js';
import { byId } from './dom.js';
import { Log } from './log.js';
import { createCells, type RowStyle, showCells } from './rows.js';
import { VirtualList } from './virtual-list.js';

export interface PaneOptions<E extends Entry> {
  /** `messages`: the elements of the pane have it in their ids. */
  readonly name: string;
  readonly capacity: number;
  readonly rows: RowStyle<E>;
  detail(entry: E, close: () => void): Node[];
}

const narrow = matchMedia('(max-width: 719px)');
const [ROW_HEIGHT, NARROW_ROW_HEIGHT] = [38, 58];

/** One list and what is selected in it. */
export class Pane<E extends Entry> {
  readonly log: Log<E>;
  readonly list: VirtualList<E>;
  readonly #options: PaneOptions<E>;
  readonly #pane: HTMLElement;
  readonly #detail: HTMLElement;
  readonly #empty: HTMLElement;

  constructor(options: PaneOptions<E>) {
    const { name, capacity, rows } = options;
    this.#options = options;
    this.#pane = byId(`pane-${name}`, HTMLElement);
    this.#detail = byId(`detail-${name}`, HTMLElement);
    this.#empty = byId(`empty-${name}`, HTMLElement);
    this.log = new Log(capacity);
    const host = byId(`list-${name}`, HTMLElement);
    this.list = new VirtualList<E>({
      host,
      rowHeight: () => (narrow.matches ? NARROW_ROW_HEIGHT : ROW_HEIGHT),
      create: (row) => createCells(row, rows),
      show: (row, entry) => showCells(row, entry, rows),
      onSelect: (entry) => this.#show(entry),
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

  /** Shows what the log holds now, of which `added` of the visible are new. */
  update(added = 0): void {
    this.#empty.hidden = this.log.size > 0;
    this.#pane.classList.toggle('filled', this.log.visible.length > 0);
    this.list.update(this.log.visible, added);
  }

  clear(): void {
    this.log.clear();
    this.list.select(undefined);
    this.update();
  }

  close(): void {
    this.list.select(undefined);
    this.list.focus();
  }

  /** To what there is to read or to do, or else to what closes it. */
  #enterDetail(): void {
    const first = this.#detail.querySelector<HTMLElement>('.json, .act');
    (first ?? this.#detail.querySelector('button'))?.focus();
  }

  #show(entry: E | undefined): void {
    this.#detail.hidden = entry === undefined;
    this.#pane.classList.toggle('open', entry !== undefined);
    this.#detail.replaceChildren(...(entry === undefined ? [] : this.#options.detail(entry, () => this.close())));
  }
}
