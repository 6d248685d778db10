import type { Observer } from '../../src/service/service-observer.js';

const nothing = (): void => {};

export const SEES_NOTHING = { onMessages: nothing, onRejected: nothing, onAnswered: nothing };

/** An observer that does what a test says, and nothing else. */
export const observerWith = (fields: Partial<Observer>): Observer => ({
  coming: nothing,
  collected: SEES_NOTHING,
  page: nothing,
  feed: nothing,
  close: nothing,
  ...fields,
});
