import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { State } from '../live/feed.js';
import type { Polled } from './poll.js';

/** Says whether the service answers the current view. */
export const viewState = signal<State>('connecting');

/** Says what fails in the current view, for the title of the page. */
export const viewTrouble = signal('');

interface PanelProps {
  readonly polled: Polled<unknown>;
  /** The children have the fields of a search: a search that is refused at once needs them to be changed. */
  readonly isDrawnAlways?: boolean;
  /** Says what fails, for the title of the page. */
  readonly trouble?: string;
  readonly children: ComponentChildren;
}

/** Frames a view of the service. When a question fails, it shows the problem above the last answer. */
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

/** Draws an answer with `children`. Until there is one, it says that it waits, or what went wrong. */
export const Answer = <T,>({ of, children }: { of: Polled<T>; children(value: T): ComponentChildren }) =>
  of.value === undefined ? <p class="note">{of.problem || 'Asking the service …'}</p> : children(of.value);
