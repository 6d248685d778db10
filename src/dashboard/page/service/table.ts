import { make } from '../dom.js';
import { ListWithDetail } from '../list-with-detail.js';
import type { RowStyle } from '../rows.js';

export interface TableOptions<T> {
  /** `sources`: stands in ids and in the style. */
  readonly name: string;
  /** What the list is of, read out. */
  readonly label: string;
  /** What an entry of it is. */
  readonly detailLabel: string;
  /** One heading for each cell; those of numbers end with the column. */
  readonly columns: readonly string[];
  readonly rows: RowStyle<T>;
  /** Tells an item from every other, at all times. */
  key(item: T): string;
  /** What is shown when there is none. */
  readonly empty: readonly Node[];
  detail(item: T, close: () => void): Detail<T>;
}

/** What is shown of the item that is open. */
export interface Detail<T> {
  readonly nodes: readonly Node[];
  /** The item as it is now. */
  update?(item: T): void;
  /** Asks for what is not in the item. */
  refresh?(signal: AbortSignal): Promise<void>;
}

/** An item and the number the list knows it by. */
interface Line<T> {
  readonly seq: number;
  readonly item: T;
}

/** A list of what there is, kept as it is: each time it is told all of it. */
export class Table<T> extends ListWithDetail<Line<T>> {
  readonly element: HTMLElement;
  readonly #key: (item: T) => string;
  readonly #numbers = new Map<string, number>();
  readonly #open: { detail: Detail<T> | undefined };

  constructor({ name, label, detailLabel, columns, rows, key, empty, detail }: TableOptions<T>) {
    const parts = {
      list: make('div', `list ${name}`),
      detail: make('aside', 'detail'),
      empty: make('div', 'empty', ...empty),
      pane: make('div', 'pane'),
    };
    parts.list.id = `list-${name}`;
    parts.list.setAttribute('role', 'listbox');
    parts.list.setAttribute('aria-label', label);
    parts.list.tabIndex = 0;
    parts.detail.id = `detail-${name}`;
    parts.detail.setAttribute('aria-label', detailLabel);
    for (const element of [parts.list, parts.detail, parts.empty]) element.hidden = true;
    const heads = columns.map((text, index) => make('span', rows.cells[index]?.includes('end') ? 'end' : '', text));
    const header = make('div', `columns ${name}`, ...heads);
    header.setAttribute('aria-hidden', 'true');
    parts.pane.append(make('div', 'master', header, parts.list, parts.empty), parts.detail);
    const open: { detail: Detail<T> | undefined } = { detail: undefined };
    super(parts, styleOfLines(rows), ({ item }, close) => {
      open.detail = detail(item, close);
      return open.detail.nodes;
    });
    this.element = parts.pane;
    this.#key = key;
    this.#open = open;
  }

  get selected(): T | undefined {
    return this.list.selected?.item;
  }

  /** Shows these, the first at the top. */
  show(items: readonly T[]): void {
    const lines = items.map((item) => ({ seq: this.#numberOf(item), item })).reverse();
    this.parts.empty.hidden = items.length > 0;
    this.parts.pane.classList.toggle('filled', items.length > 0);
    this.list.replace(lines);
    if (this.selected !== undefined) this.#open.detail?.update?.(this.selected);
  }

  /** To the list, or when there is none to see, elsewhere. */
  focus(otherwise: HTMLElement | null): void {
    if (this.parts.list.hidden) otherwise?.focus();
    else this.list.focus();
  }

  /** Asks for what is open. */
  async refreshDetail(signal: AbortSignal): Promise<void> {
    if (this.selected !== undefined) await this.#open.detail?.refresh?.(signal);
  }

  #numberOf(item: T): number {
    const key = this.#key(item);
    const number = this.#numbers.get(key) ?? this.#numbers.size + 1;
    this.#numbers.set(key, number);
    return number;
  }
}

function styleOfLines<T>(rows: RowStyle<T>): RowStyle<Line<T>> {
  const { cells, words, badge } = rows;
  return {
    cells,
    texts: ({ item }) => rows.texts(item),
    ...(badge !== undefined && { badge: ({ item }) => badge(item) }),
    ...(words !== undefined && { words }),
  };
}
