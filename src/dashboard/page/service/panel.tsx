import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { ConnectionState } from '../live/feed.js';
import type { Polled } from './poll.js';

/** The state of the connection: whether the service answers the requests of the current view. */
export const viewState = signal<ConnectionState>('connecting');

/** What fails in the current view, for the title of the page. */
export const viewTrouble = signal('');

interface PanelProps {
  readonly polled: Polled<unknown>;
  /** True if the children include search fields, which have to stay usable when the service refuses a search. */
  readonly isDrawnAlways?: boolean;
  /** What fails, for the title of the page. */
  readonly trouble?: string;
  readonly children: ComponentChildren;
}

/** The frame of a view. When a request fails, it shows the problem above the last answer. */
export function Panel({ polled, isDrawnAlways = false, trouble = '', children }: PanelProps) {
  const { problem, isBusy, value } = polled;
  useLayoutEffect(() => {
    viewState.value = isBusy ? 'connecting' : problem === '' ? 'live' : 'lost';
  }, [isBusy, problem]);
  useLayoutEffect(() => {
    viewTrouble.value = trouble;
  }, [trouble]);
  return (
    <div class="view" aria-busy={isBusy}>
      <p class="problem strip" role="status">
        {problem}
      </p>
      {value === undefined && problem === '' && <p class="strip note">Asking the service …</p>}
      {(value !== undefined || (isDrawnAlways && problem !== '')) && children}
    </div>
  );
}

/** Draws an answer with `children`. Until there is one, it shows that it is waiting, or what went wrong. */
export const Answer = <T,>({ of, children }: { of: Polled<T>; children(value: T): ComponentChildren }) =>
  of.value === undefined ? <p class="note">{of.problem || 'Asking the service …'}</p> : children(of.value);
