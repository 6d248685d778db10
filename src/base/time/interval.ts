import type { Clock } from './clock.js';

export interface IntervalOptions {
  readonly clock: Pick<Clock, 'after'>;
  readonly everyMs: number;
  act(): Promise<void>;
  onError(error: unknown): void;
}

/** Repeats an act, with a pause of `everyMs` after each run. Returns a function that stops it. */
export function startInterval({ clock, everyMs, act, onError }: IntervalOptions): () => void {
  let isStopped = false;
  let cancel = (): void => {};
  const later = (): void => {
    if (isStopped) return;
    cancel = clock.after(everyMs, () => void act().catch(onError).then(later));
  };
  later();
  return () => {
    isStopped = true;
    cancel();
  };
}
