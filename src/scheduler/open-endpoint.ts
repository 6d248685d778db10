import type { EventStore } from '../store/event-store.js';
import { hasLines } from '../store/line.js';
import type { Endpoint, EndpointOptions } from './endpoint.js';
import { LineEndpoint } from './line-endpoint.js';
import { ReadyQueue } from './ready-queue.js';

/** Hands out what waits in the store for one URL: by a line of the store's own, where several processes share it, or else by one in memory. */
export const openEndpoint = (store: EventStore, options: EndpointOptions): Endpoint =>
  new LineEndpoint({
    ...options,
    store,
    openLine: (line) => (hasLines(store) ? store.line(line) : new ReadyQueue({ ...line, store })),
  });
