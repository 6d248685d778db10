import { signal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { open, opened } from '../page-router.js';
import { Cells, type Column, Headings, roomOf, Table, type TableProps } from './columns.js';
import { Detail, type DetailOf } from './detail.js';
import { useVirtualRows } from './virtual-rows.js';

/** A list and its open item. */
export interface ListOf<T> {
  /** The name of the list in ids and classes: `messages`. */
  readonly name: string;
  /** The name of the list for screen readers. */
  readonly label: string;
  /** What one item is called. */
  readonly noun: string;
  readonly columns: readonly Column<T>[];
  /** Returns a key that no other item ever has. */
  keyOf(item: T): string;
  /**
   * Returns what is shown of an open item, and may use hooks. Without it, the list is a table, because its rows contain links to
   * the page of each item.
   */
  useDetail?(item: T): DetailOf;
  /** Returns the style of a row in a table. */
  lookOf?(item: T): string;
}

export interface Items<T> {
  readonly items: readonly T[];
  /** The item to show if the address names one that is not among the items. */
  readonly unlisted?: T | undefined;
  /** Grows by one for each new item at the top, so that the list keeps its place for a reader further down. */
  readonly added?: number;
  /** Called when the reader scrolls close to the end. */
  onEnd?(): unknown;
  /** The name of the list for screen readers, where it depends on what is shown. */
  readonly label?: string | undefined;
  readonly sorted?: TableProps<T>['sorted'];
}

interface ListProps<T> extends Items<T> {
  readonly of: ListOf<T>;
  readonly empty: ComponentChildren;
}

const [ROW_HEIGHT, NARROW_ROW_HEIGHT] = [38, 58];
/** The distance from the end of the list, in pixels, at which more rows are requested. */
const NEAR_PX = 600;

const narrow = matchMedia('(max-width: 719px)');
const rowHeight = signal(narrow.matches ? NARROW_ROW_HEIGHT : ROW_HEIGHT);
narrow.addEventListener('change', () => {
  rowHeight.value = narrow.matches ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
});

/** Shows a list of any length. */
export function List<T>(props: ListProps<T>) {
  const { of: list, items, empty, sorted } = props;
  if (list.useDetail !== undefined) return <Openable {...props} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach its end.
    <section class="scrolled" tabIndex={0} aria-label={list.label}>
      {items.length === 0 ? empty : <Table look={list.name} {...list} {...{ items, sorted }} />}
    </section>
  );
}

/** Shows the items and, beside them, the open one. Only the visible rows exist in the document. */
function Openable<T>({ of: list, items, unlisted, empty, ...rest }: ListProps<T>) {
  const host = useRef<HTMLDivElement>(null);
  const openKey = opened.value;
  const close = (): void => {
    open('');
    host.current?.focus();
  };
  const wasOpen = useRef(false);
  useLayoutEffect(() => {
    // Back has closed the item that had the focus.
    if (wasOpen.current && openKey === '' && document.activeElement === document.body) host.current?.focus();
    wasOpen.current = openKey !== '';
  }, [openKey]);
  const selected = openKey === '' ? -1 : items.findIndex((item) => list.keyOf(item) === openKey);
  const shown = items[selected] ?? unlisted;
  const look = `${items.length > 0 ? 'filled' : ''} ${shown === undefined ? '' : 'open'}`;
  return (
    <div class={`pane ${look}`} style={roomOf(list.columns)}>
      <div class="master">
        <Headings name={list.name} columns={list.columns} />
        <Listbox {...{ list, items, host, selected, close }} {...rest} />
        {items.length === 0 && empty}
      </div>
      {shown !== undefined && <OpenItem key={openKey} {...{ list, close }} item={shown} />}
    </div>
  );
}

function OpenItem<T>({ list, item, close }: { list: ListOf<T>; item: T; close(): void }) {
  const detail = list.useDetail?.(item);
  return (
    <aside
      class="detail"
      id={`detail-${list.name}`}
      aria-label={list.noun}
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      {detail && <Detail {...detail} close={close} />}
    </aside>
  );
}

interface ListboxProps<T> extends Omit<Items<T>, 'unlisted' | 'sorted'> {
  readonly list: ListOf<T>;
  readonly host: RefObject<HTMLDivElement | null>;
  /** The index of the open item, or -1. */
  readonly selected: number;
  close(): void;
}

function Listbox<T>({ list, items, host, selected, added = 0, onEnd, close, label = list.label }: ListboxProps<T>) {
  const { name, keyOf } = list;
  const height = rowHeight.value;
  const rows = useVirtualRows(host, items.length, height);
  useKeptPlace(host, added, height);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') close();
    if (event.key === 'Enter') {
      // Without this the same key press would act on the button that gets the focus.
      event.preventDefault();
      focusDetail(name);
    }
    const page = Math.max(1, Math.floor((host.current?.clientHeight ?? 0) / height) - 1);
    const index = indexAfter(event.key, { at: selected, page, count: items.length });
    const item = items[index ?? -1];
    if (index !== undefined) event.preventDefault();
    if (index === undefined || item === undefined) return;
    open(keyOf(item));
    rows.scrollToIndex(index, { align: 'auto' });
  };
  const onScroll = (): unknown => isNearEnd(host.current) && onEnd?.();
  const drawn = rows.getVirtualItems().flatMap(({ index, start }) => {
    const item = items[index];
    if (item === undefined) return [];
    const [count, isOpen] = [items.length, index === selected];
    return [<Row key={keyOf(item)} {...{ list, item, index, start, count, isOpen }} />];
  });
  const isActive = rows.getVirtualItems().some(({ index }) => index === selected);
  return (
    <div
      ref={host}
      id={`list-${name}`}
      class={`list ${name}`}
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={isActive ? `row-${name}-${selected}` : undefined}
      hidden={items.length === 0}
      onKeyDown={onKeyDown}
      onScroll={onScroll}
    >
      <div class="spacer" role="presentation" style={{ height: `${rows.getTotalSize()}px` }}>
        {drawn}
      </div>
    </div>
  );
}

const isNearEnd = (list: HTMLElement | null): boolean =>
  list !== null && list.scrollTop + list.clientHeight > list.scrollHeight - NEAR_PX;

/** Moves the focus into the open item: to what a reader wants there, or else to its first button. */
function focusDetail(name: string): void {
  const detail = document.getElementById(`detail-${name}`);
  (detail?.querySelector<HTMLElement>('.json, .act') ?? detail?.querySelector('button'))?.focus();
}

interface RowProps<T> {
  readonly list: ListOf<T>;
  readonly item: T;
  readonly index: number;
  /** The place of its upper edge, in pixels. */
  readonly start: number;
  readonly count: number;
  readonly isOpen: boolean;
}

/** Draws a row. It is moved when its item changes place; its cells are drawn again only for another item. */
function Row<T>({ list: { name, columns, keyOf }, item, index, start, count, isOpen }: RowProps<T>) {
  const cells = useMemo(() => <Cells item={item} columns={columns} />, [item, columns]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, as a listbox does.
    <div
      id={`row-${name}-${index}`}
      class="row"
      role="option"
      style={{ transform: `translateY(${start}px)` }}
      aria-posinset={index + 1}
      aria-setsize={count}
      aria-selected={isOpen}
      onClick={() => open(keyOf(item))}
    >
      {cells}
    </div>
  );
}

/** Scrolls by the height of the rows that were added above the reader. */
function useKeptPlace(host: { readonly current: HTMLElement | null }, added: number, height: number): void {
  const before = useRef(added);
  useLayoutEffect(() => {
    const more = added - before.current;
    before.current = added;
    const list = host.current;
    if (list !== null && more > 0 && list.scrollTop > 0) list.scrollTop += more * height;
  }, [host, added, height]);
}

/** Returns the index of the row that a key moves to; undefined for other keys. */
function indexAfter(key: string, { at, page, count }: { at: number; page: number; count: number }): number | undefined {
  const steps: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    j: at + 1,
    k: at - 1,
    PageDown: Math.max(0, at) + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  };
  const to = steps[key];
  return to === undefined ? undefined : Math.min(Math.max(0, to), count - 1);
}
