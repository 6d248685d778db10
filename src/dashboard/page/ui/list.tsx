import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { open, opened } from '../page-router.js';
import { Cells, type Column, Headings, roomOf } from './columns.js';
import { useVirtualRows } from './virtual-rows.js';

export interface ListProps<T> {
  /** The name of the list in ids and classes: `messages`. */
  readonly name: string;
  /** The name of the list for screen readers. */
  readonly label: string;
  /** The name of the open item for screen readers. */
  readonly detailLabel: string;
  readonly columns: readonly Column<T>[];
  readonly items: readonly T[];
  /** Returns a key that no other item ever has. */
  keyOf(item: T): string;
  /** The item to show if the address names one that is not among the items. */
  readonly unlisted?: T | undefined;
  detail(item: T, close: () => void): ComponentChildren;
  /** Grows by one for each new item at the top, so that the list keeps its place for a reader further down. */
  readonly added?: number;
  readonly empty?: ComponentChildren;
  /** Called when the reader scrolls close to the end. */
  onEnd?(): void;
  readonly children?: ComponentChildren;
}

const [ROW_HEIGHT, NARROW_ROW_HEIGHT] = [38, 58];
/** The distance from the end of the list, in pixels, at which more rows are requested. */
const NEAR_PX = 600;

const narrow = matchMedia('(max-width: 719px)');
const rowHeight = signal(narrow.matches ? NARROW_ROW_HEIGHT : ROW_HEIGHT);
narrow.addEventListener('change', () => {
  rowHeight.value = narrow.matches ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
});

/** Shows a list of any length, and the open item beside it. Only the visible rows exist in the document. */
export function List<T>(props: ListProps<T>) {
  const { name, label, detailLabel, columns, items, keyOf, detail, empty, children } = props;
  const host = useRef<HTMLDivElement>(null);
  const aside = useRef<HTMLElement>(null);
  const height = rowHeight.value;
  const rows = useVirtualRows(host, items.length, height);
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
  useKeptPlace(host, props.added ?? 0, height);
  const selected = openKey === '' ? -1 : items.findIndex((item) => keyOf(item) === openKey);
  const shown = items[selected] ?? props.unlisted;

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') close();
    if (event.key === 'Enter') {
      // Without this the same key press would act on the button that gets the focus.
      event.preventDefault();
      const first = aside.current?.querySelector<HTMLElement>('.json, .act');
      (first ?? aside.current?.querySelector('button'))?.focus();
    }
    const page = Math.max(1, Math.floor((host.current?.clientHeight ?? 0) / height) - 1);
    const to = indexAfter(event.key, { at: selected, page, count: items.length });
    if (to === undefined) return;
    event.preventDefault();
    const index = Math.min(Math.max(0, to), items.length - 1);
    const item = items[index];
    if (item === undefined) return;
    open(keyOf(item));
    rows.scrollToIndex(index, { align: 'auto' });
  };
  const onScroll = (): void => {
    const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = host.current ?? {};
    if (scrollTop + clientHeight > scrollHeight - NEAR_PX) props.onEnd?.();
  };

  const isFilled = items.length > 0;
  const active = rows.getVirtualItems().find(({ index }) => index === selected);
  return (
    <div class={`pane ${isFilled ? 'filled' : ''} ${shown === undefined ? '' : 'open'}`} style={roomOf(columns)}>
      <div class="master">
        <Headings name={name} columns={columns} />
        <div
          ref={host}
          id={`list-${name}`}
          class={`list ${name}`}
          role="listbox"
          tabIndex={0}
          aria-label={label}
          aria-activedescendant={active && `row-${name}-${active.index}`}
          hidden={!isFilled}
          onKeyDown={onKeyDown}
          onScroll={onScroll}
        >
          <div class="spacer" role="presentation" style={{ height: `${rows.getTotalSize()}px` }}>
            {rows.getVirtualItems().map(({ index, start }) => {
              const item = items[index];
              if (item === undefined) return null;
              const key = keyOf(item);
              const isOpen = key === openKey;
              return (
                <Row
                  key={key}
                  {...{ id: `row-${name}-${index}`, itemKey: key, item, columns, isOpen, start, index }}
                  count={items.length}
                />
              );
            })}
          </div>
        </div>
        {!isFilled && empty}
        {children}
      </div>
      {shown !== undefined && (
        <aside
          ref={aside}
          class="detail"
          id={`detail-${name}`}
          aria-label={detailLabel}
          onKeyDown={({ key }) => key === 'Escape' && close()}
          key={openKey}
        >
          {detail(shown, close)}
        </aside>
      )}
    </div>
  );
}

interface RowProps<T> {
  readonly id: string;
  readonly itemKey: string;
  readonly item: T;
  readonly columns: readonly Column<T>[];
  readonly isOpen: boolean;
  readonly start: number;
  readonly index: number;
  readonly count: number;
}

/** Draws a row. It is moved when its item changes place; its cells are drawn again only for another item. */
function Row<T>({ id, itemKey, item, columns, isOpen, start, index, count }: RowProps<T>) {
  const cells = useMemo(() => <Cells item={item} columns={columns} />, [item, columns]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, as a listbox does.
    <div
      id={id}
      class="row"
      role="option"
      style={{ transform: `translateY(${start}px)` }}
      aria-posinset={index + 1}
      aria-setsize={count}
      aria-selected={isOpen}
      onClick={() => open(itemKey)}
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

function indexAfter(key: string, { at, page, count }: { at: number; page: number; count: number }): number | undefined {
  const steps: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: Math.max(0, at - 1),
    j: at + 1,
    k: Math.max(0, at - 1),
    PageDown: Math.max(0, at) + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  };
  return steps[key];
}
