import type { Entry } from '../server/entry.js';
import { byId } from './dom.js';
import { ListWithDetail } from './list-with-detail.js';
import { Log } from './log.js';
import type { RowStyle } from './rows.js';

export interface PaneOptions<E extends Entry> {
  /** `messages`: the elements of the pane have it in their ids. */
  readonly name: string;
  readonly capacity: number;
  readonly rows: RowStyle<E>;
  detail(entry: E, close: () => void): Node[];
}

/** What has happened of one kind, as a list, and what is selected in it. */
export class Pane<E extends Entry> extends ListWithDetail<E> {
  readonly log: Log<E>;

  constructor({ name, capacity, rows, detail }: PaneOptions<E>) {
    const parts = {
      pane: byId(`pane-${name}`, HTMLElement),
      list: byId(`list-${name}`, HTMLElement),
      detail: byId(`detail-${name}`, HTMLElement),
      empty: byId(`empty-${name}`, HTMLElement),
    };
    super(parts, rows, detail);
    this.log = new Log(capacity);
  }

  /** Shows what the log holds now, of which `added` of the visible are new. */
  update(added = 0): void {
    this.parts.empty.hidden = this.log.size > 0;
    this.parts.pane.classList.toggle('filled', this.log.visible.length > 0);
    this.list.update(this.log.visible, added);
  }

  clear(): void {
    this.log.clear();
    this.list.select(undefined);
    this.update();
  }
}
