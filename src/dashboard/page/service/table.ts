import type { Column } from '../columns.js';
import { make } from '../dom.js';
import { type ListOptions, ListWithDetail } from '../list-with-detail.js';

export interface TableOptions<T> extends ListOptions<T> {
  /** Tells an item from every other, at all times. */
  key(item: T): string;
  /** Shown when there is no item. */
  readonly empty: readonly [heading: string, meaning: string];
  detail(item: T, close: () => void): Detail<T>;
}

/** The content of the open item. */
export interface Detail<T> {
  readonly nodes: readonly Node[];
  /** The item as it is now. */
  update?(item: T): void;
  /** Fetches data that the item lacks. */
  refresh?(signal: AbortSignal): Promise<void>;
}

/** An item and the number the list knows it by. */
interface Line<T> {
  readonly seq: number;
  readonly item: T;
}

/** A list of the present items; each update brings all of them. */
export class Table<T> extends ListWithDetail<Line<T>> {
  readonly #key: (item: T) => string;
  readonly #numbers = new Map<string, number>();
  readonly #open: { detail: Detail<T> | undefined };

  constructor({ columns, key, empty: [heading, meaning], detail, ...options }: TableOptions<T>) {
    const empty = emptyState(heading, meaning);
    const pane = make('div', 'pane', make('div', 'master', empty));
    const open: { detail: Detail<T> | undefined } = { detail: undefined };
    super(pane, empty, { ...options, columns: columns.map(ofLines) }, ({ item }, close) => {
      open.detail = detail(item, close);
      return open.detail.nodes;
    });
    this.#key = key;
    this.#open = open;
  }

  get selected(): T | undefined {
    return this.list.selected?.item;
  }

  /** Shows these, the first at the top. */
  show(items: readonly T[]): void {
    const lines = items.map((item) => ({ seq: this.#numberOf(item), item })).reverse();
    this.showFilled(items.length, items.length);
    this.list.replace(lines);
    if (this.selected !== undefined) this.#open.detail?.update?.(this.selected);
  }

  /** Focuses the list, or another element when the list is hidden. */
  focus(otherwise: HTMLElement | null): void {
    if (this.list.host.hidden) otherwise?.focus();
    else this.list.focus();
  }

  /** Refreshes the open item. */
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

const ofLines = <T>({ text, look, ...column }: Column<T>): Column<Line<T>> => ({
  ...column,
  text: ({ item }) => text(item),
  ...(look !== undefined && { look: ({ item }) => look(item) }),
});

/** Shown in place of an empty list; hidden until the list is known. */
export function emptyState(heading: string, meaning: string): HTMLElement {
  const element = make('div', 'empty', make('h2', '', heading), make('p', '', meaning));
  element.hidden = true;
  return element;
}
