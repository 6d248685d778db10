import type { Observer } from '../../src/service/service-observer.js';

const nothing = (): void => {};

export const SEES_NOTHING = { onMessages: nothing, onRejected: nothing, onAnswered: nothing };

/** Makes an observer that does only what a test sets. */
export const observerWith = (fields: Partial<Observer>): Observer => ({
  coming: nothing,
  collected: SEES_NOTHING,
  page: nothing,
  feed: nothing,
  close: nothing,
  ...fields,
});
