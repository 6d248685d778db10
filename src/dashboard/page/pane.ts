import type { Entry } from '../server/entry.js';
import { byId } from './dom.js';
import { type ListOptions, ListWithDetail } from './list-with-detail.js';
import { Log } from './log.js';

export interface PaneOptions<E extends Entry> extends ListOptions<E> {
  readonly capacity: number;
  detail(entry: E, close: () => void): Node[];
}

/** The entries of one kind from the feed, as a list with a detail. */
export class Pane<E extends Entry> extends ListWithDetail<E> {
  readonly log: Log<E>;

  /** The page holds the pane, with the text for an empty list. */
  constructor(options: PaneOptions<E>) {
    const { name, capacity, detail } = options;
    super(byId(`pane-${name}`, HTMLElement), byId(`empty-${name}`, HTMLElement), options, detail);
    this.log = new Log(capacity);
  }

  /** Shows what the log holds now, of which `added` of the visible are new. */
  update(added = 0): void {
    this.showFilled(this.log.size, this.log.visible.length);
    this.list.update(this.log.visible, added);
  }

  clear(): void {
    this.log.clear();
    this.list.select(undefined);
    this.update();
  }
}
