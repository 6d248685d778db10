import { make } from './dom.js';

export interface VirtualListOptions<E> {
  readonly host: HTMLElement;
  /** Of one row, in pixels. Asked again when the window changes. */
  rowHeight(): number;
  /** Makes the cells of a row, once. */
  create(row: HTMLElement): void;
  /** Shows an entry in the cells. */
  show(row: HTMLElement, entry: E): void;
  onSelect(entry: E | undefined): void;
}

/** Rows above and below the visible ones, so that a quick scroll meets no blank. */
const SPARE_ROWS = 6;

export interface Numbered {
  readonly seq: number;
}

/** A list of any length, newest first, of which only the rows in sight exist. */
export class VirtualList<E extends Numbered> {
  readonly #options: VirtualListOptions<E>;
  readonly #host: HTMLElement;
  readonly #spacer = make('div', 'spacer');
  readonly #rows: HTMLElement[] = [];
  /** What each row shows. */
  readonly #shown = new WeakMap<HTMLElement, E>();
  #entries: readonly E[] = [];
  #selected: E | undefined;
  #isAsked = false;

  constructor(options: VirtualListOptions<E>) {
    this.#options = options;
    this.#host = options.host;
    this.#spacer.setAttribute('role', 'presentation');
    this.#host.append(this.#spacer);
    this.#host.addEventListener('scroll', () => this.#ask(), { passive: true });
    this.#host.addEventListener('keydown', (event) => this.#onKey(event));
    this.#host.addEventListener('click', (event) => this.#onClick(event));
    new ResizeObserver(() => this.#ask()).observe(this.#host);
  }

  get host(): HTMLElement {
    return this.#host;
  }

  get selected(): E | undefined {
    return this.#selected;
  }

  /** Shows these, oldest first, of which `added` are new. A reader further down keeps the place. */
  update(entries: readonly E[], added: number): void {
    this.#entries = entries;
    this.#host.hidden = entries.length === 0;
    const { scrollTop } = this.#host;
    this.#draw();
    if (added > 0 && scrollTop > 0) {
      this.#host.scrollTop = scrollTop + added * this.#options.rowHeight();
      this.#draw();
    }
  }

  /** Shows these, each in place of the entry with its number. The selection stays, unless its entry is gone. */
  replace(entries: readonly E[]): void {
    const seq = this.#selected?.seq;
    const selected = seq === undefined ? undefined : entries.find((entry) => entry.seq === seq);
    if (seq !== undefined && selected === undefined) this.select(undefined);
    this.#selected = selected;
    this.update(entries, 0);
  }

  toTop(): void {
    this.#host.scrollTop = 0;
    this.#draw();
  }

  select(entry: E | undefined): void {
    this.#selected = entry;
    this.#options.onSelect(entry);
    this.#draw();
  }

  focus(): void {
    this.#host.focus();
  }

  /** Counted from the newest. */
  #entryAt(index: number): E | undefined {
    return this.#entries[this.#entries.length - 1 - index];
  }

  #indexOfSelected(): number {
    const selected = this.#selected;
    if (selected === undefined) return -1;
    const index = this.#entries.lastIndexOf(selected);
    return index === -1 ? -1 : this.#entries.length - 1 - index;
  }

  #ask(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    requestAnimationFrame(() => {
      this.#isAsked = false;
      this.#draw();
    });
  }

  #draw(): void {
    const height = this.#options.rowHeight();
    const count = this.#entries.length;
    this.#spacer.style.height = `${count * height}px`;
    const inSight = Math.ceil(this.#host.clientHeight / height);
    const first = Math.max(0, Math.floor(this.#host.scrollTop / height) - SPARE_ROWS);
    const last = Math.min(count, first + inSight + 2 * SPARE_ROWS);
    this.#host.removeAttribute('aria-activedescendant');
    for (let index = first; index < last; index++) this.#drawRow(index - first, index, height);
    for (const row of this.#rows.splice(Math.max(0, last - first))) row.remove();
  }

  #drawRow(place: number, index: number, height: number): void {
    const entry = this.#entryAt(index);
    if (entry === undefined) return;
    const row = this.#rows[place] ?? this.#addRow(place);
    row.style.transform = `translateY(${index * height}px)`;
    row.setAttribute('aria-posinset', String(index + 1));
    row.setAttribute('aria-setsize', String(this.#entries.length));
    const isSelected = entry === this.#selected;
    row.setAttribute('aria-selected', String(isSelected));
    if (isSelected) this.#host.setAttribute('aria-activedescendant', row.id);
    if (this.#shown.get(row) === entry) return;
    this.#shown.set(row, entry);
    row.dataset['seq'] = String(entry.seq);
    this.#options.show(row, entry);
  }

  #addRow(place: number): HTMLElement {
    const row = make('div', 'row');
    row.id = `${this.#host.id}-${place}`;
    row.setAttribute('role', 'option');
    this.#options.create(row);
    this.#rows[place] = row;
    this.#spacer.append(row);
    return row;
  }

  #onClick({ target }: Event): void {
    const row = target instanceof Element ? target.closest<HTMLElement>('.row') : null;
    const entry = this.#entries.find(({ seq }) => String(seq) === row?.dataset['seq']);
    if (entry !== undefined) this.select(entry);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const index = this.#indexAfter(event.key);
    if (index === undefined) return;
    event.preventDefault();
    const entry = this.#entryAt(Math.min(Math.max(0, index), this.#entries.length - 1));
    if (entry === undefined) return;
    this.select(entry);
    this.#reveal();
  }

  #indexAfter(key: string): number | undefined {
    const at = this.#indexOfSelected();
    const page = Math.max(1, Math.floor(this.#host.clientHeight / this.#options.rowHeight()) - 1);
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: Math.max(0, at - 1),
      j: at + 1,
      k: Math.max(0, at - 1),
      PageDown: Math.max(0, at) + page,
      PageUp: at - page,
      Home: 0,
      End: this.#entries.length - 1,
    };
    return steps[key];
  }

  #reveal(): void {
    const height = this.#options.rowHeight();
    const top = this.#indexOfSelected() * height;
    const { scrollTop, clientHeight } = this.#host;
    if (top < scrollTop) this.#host.scrollTop = top;
    if (top + height > scrollTop + clientHeight) this.#host.scrollTop = top + height - clientHeight;
    this.#draw();
  }
}
