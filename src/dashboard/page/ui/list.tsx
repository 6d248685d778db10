import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { open, opened } from '../page-router.js';
import type { Polled } from '../service/poll.js';
import { Cells, type Column, Headings, roomOf, type TableProps } from './columns.js';
import { Detail, type DetailOf } from './detail.js';
import type { Filter, FilterCounts } from './filters.js';

/** A list of the page: where its items come from, how they are filtered and drawn, and what is shown of an open one. */
export interface PageList<T> {
  /** The name of the list in ids and classes: `messages`. */
  readonly name: string;
  /** The name of the list for screen readers. */
  readonly label: string;
  /** What one item is called. */
  readonly noun: string;
  readonly filters?: readonly Filter[];
  /** Explains the list, beside its filters. */
  readonly note?: string;
  /** Explains an empty list. */
  readonly none: readonly [title: string, text: string];
  readonly columns: readonly Column<T>[];
  /** Returns a key that no other item ever has. */
  keyOf(item: T): string;
  /** Reads the items. */
  useRows(): Rows<T>;
  /**
   * Returns what is shown of an open item, and may use hooks. Without it, the list is a table, because its rows contain links to
   * the page of each item.
   */
  useDetail?(item: T): DetailOf;
  /** Returns the style of a row in a table. */
  lookOf?(item: T): string;
}

/** What a list shows now. */
export interface Rows<T> {
  readonly items: readonly T[];
  /** The item to show if the address names one that is not among the items. */
  readonly unlisted?: T | undefined;
  /** Called when the reader scrolls away from the top. */
  onLeaveTop?(): unknown;
  /** Called when the reader scrolls close to the end. */
  onEnd?(): unknown;
  /** The name of the list for screen readers, where it depends on what is shown. */
  readonly label?: string | undefined;
  readonly sorted?: TableProps<T>['sorted'];
  /** The last answer of the service, for a list that asks it. */
  readonly polled?: Polled<unknown>;
  /** The number of items for each switch of a filter. */
  readonly counts?: FilterCounts | undefined;
  /** What fails, for the title of the page. */
  readonly trouble?: string;
  readonly above?: ComponentChildren;
  /** What is shown between the filters and the list. */
  readonly between?: ComponentChildren;
  readonly below?: ComponentChildren;
  /** Says why nothing matches the filters. */
  readonly whyNone?: ComponentChildren;
  /** Is shown instead of any other explanation of an empty list. */
  readonly none?: ComponentChildren;
}

/** The number of rows that are drawn at first, and that are added whenever the reader scrolls close to the end. */
const DRAWN = 100;
/** The distance from the end of the list, in pixels, at which more rows are drawn. */
const NEAR_PX = 600;

interface OpenableProps<T> {
  readonly list: PageList<T>;
  readonly rows: Rows<T>;
  /** Explains a list without items. */
  readonly empty: ComponentChildren;
}

/** Shows the items and, beside them, the open one. */
export function Openable<T>({ list, rows, empty }: OpenableProps<T>) {
  const { items, unlisted } = rows;
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
        <Listbox {...{ list, rows, host, selected, close }} />
        {items.length === 0 && empty}
      </div>
      {shown !== undefined && <OpenItem key={openKey} {...{ list, close }} item={shown} />}
    </div>
  );
}

function OpenItem<T>({ list, item, close }: { list: PageList<T>; item: T; close(): void }) {
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

interface ListboxProps<T> extends Omit<OpenableProps<T>, 'empty'> {
  readonly host: RefObject<HTMLDivElement | null>;
  /** The index of the open item, or -1. */
  readonly selected: number;
  close(): void;
}

function Listbox<T>({ list, rows, host, selected, close }: ListboxProps<T>) {
  const { items, onLeaveTop, onEnd, label = list.label } = rows;
  const { name, keyOf } = list;
  const [most, setMost] = useState(DRAWN);
  const drawn = items.slice(0, most);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') close();
    if (event.key === 'Enter') {
      // Without this the same key press would act on the button that gets the focus.
      event.preventDefault();
      focusDetail(name);
    }
    const index = indexAfter(event.key, { at: selected, page: pageOf(host.current), count: drawn.length });
    const item = drawn[index ?? -1];
    if (index !== undefined) event.preventDefault();
    if (index === undefined || item === undefined) return;
    open(keyOf(item));
    host.current?.children[index]?.scrollIntoView({ block: 'nearest' });
  };
  const onScroll = ({ currentTarget: { scrollTop, clientHeight, scrollHeight } }: { currentTarget: HTMLElement }) => {
    if (scrollTop > 0) onLeaveTop?.();
    if (scrollTop + clientHeight < scrollHeight - NEAR_PX) return;
    if (most < items.length) setMost(most + DRAWN);
    else onEnd?.();
  };
  return (
    <div
      ref={host}
      id={`list-${name}`}
      class={`list ${name}`}
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={drawn[selected] === undefined ? undefined : `row-${name}-${selected}`}
      hidden={items.length === 0}
      onKeyDown={onKeyDown}
      onScroll={onScroll}
    >
      {drawn.map((item, index) => (
        <Row key={keyOf(item)} {...{ list, item, index }} count={items.length} isOpen={index === selected} />
      ))}
    </div>
  );
}

/** Returns the number of rows by which PageUp and PageDown move. */
function pageOf(list: HTMLElement | null): number {
  const rowHeight = list?.firstElementChild?.clientHeight ?? 1;
  return Math.max(1, Math.floor((list?.clientHeight ?? 0) / rowHeight) - 1);
}

/** Moves the focus into the open item: to what a reader wants there, or else to its first button. */
function focusDetail(name: string): void {
  const detail = document.getElementById(`detail-${name}`);
  (detail?.querySelector<HTMLElement>('.json, .act') ?? detail?.querySelector('button'))?.focus();
}

interface RowProps<T> {
  readonly list: PageList<T>;
  readonly item: T;
  readonly index: number;
  readonly count: number;
  readonly isOpen: boolean;
}

/** Draws a row. Its cells are drawn again only when the item changes. */
function Row<T>({ list: { name, columns, keyOf }, item, index, count, isOpen }: RowProps<T>) {
  const cells = useMemo(() => <Cells item={item} columns={columns} />, [item, columns]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, as a listbox does.
    <div
      id={`row-${name}-${index}`}
      class="row"
      role="option"
      aria-posinset={index + 1}
      aria-setsize={count}
      aria-selected={isOpen}
      onClick={() => open(keyOf(item))}
    >
      {cells}
    </div>
  );
}

/** Returns the index of the row that a key moves to; undefined for other keys. */
function indexAfter(key: string, { at, page, count }: { at: number; page: number; count: number }): number | undefined {
  const steps: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: Math.max(0, at) + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  };
  const to = steps[key];
  return to === undefined ? undefined : Math.min(Math.max(0, to), count - 1);
}
