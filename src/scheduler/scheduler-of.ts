import type { EventStore } from '../store/event-store.js';
import { hasLines } from '../store/line.js';
import type { Scheduler } from './endpoint.js';
import { LineEndpoint } from './line-endpoint.js';
import { ReadyQueue } from './ready-queue.js';

/** The scheduler for the store: by lines of the store's own, where several processes share it, or else by lines in memory. */
export const schedulerOf = (store: EventStore): Scheduler => ({
  endpoint: (options) =>
    new LineEndpoint({
      ...options,
      store,
      openLine: (line) => (hasLines(store) ? store.line(line) : new ReadyQueue({ ...line, store })),
    }),
  // Where no other process has the store, its endpoints are told of everything.
  watch: (url, windowMs, onWork) => (hasLines(store) ? store.watch(url, windowMs, onWork) : () => {}),
});
