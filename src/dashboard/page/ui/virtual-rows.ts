import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useState } from 'preact/hooks';

/** The number of rows that are drawn above and below the visible ones, so that fast scrolling shows no blank space. */
const SPARE_ROWS = 6;

/** Finds the rows of a list that are visible or nearly so, and draws again when they change. */
export function useVirtualRows(host: RefObject<HTMLElement | null>, count: number, rowHeight: number) {
  const [, drawAgain] = useReducer((times: number) => times + 1, 0);
  const options = {
    count,
    getScrollElement: () => host.current,
    estimateSize: () => rowHeight,
    overscan: SPARE_ROWS,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => drawAgain(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);
  return virtualizer;
}
