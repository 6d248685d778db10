import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { State } from '../live/connection.js';
import type { Polled } from './poll.js';

/** How the service answers the view that is shown. */
export const viewState = signal<State>('connecting');

/** A view of what the service holds: what went wrong, and what was known before. */
export function Panel({ polled, children }: { polled: Polled<unknown>; children: ComponentChildren }) {
  const { problem, isBusy, value } = polled;
  useLayoutEffect(() => {
    viewState.value = isBusy ? 'connecting' : problem === '' ? 'live' : 'lost';
  }, [isBusy, problem]);
  return (
    <div class="view" aria-busy={isBusy}>
      <p class="problem strip" role="status">
        {problem}
      </p>
      {value === undefined ? problem === '' && <p class="waiting">Asking the service …</p> : children}
    </div>
  );
}

/** What was answered, as `children` draws it; until then, that it is awaited, or why there is none. */
export const Answer = <T,>({ of, children }: { of: Polled<T>; children(value: T): ComponentChildren }) =>
  of.value === undefined ? <p class="waiting">{of.problem || 'Asking the service …'}</p> : children(of.value);
