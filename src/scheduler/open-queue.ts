import { hasLines } from '../store/line.js';
import type { Queue, QueueOptions } from './queue.js';
import { ReadyQueue } from './ready-queue.js';
import { SharedQueue } from './shared-queue.js';

/** Opens a queue over the store's lines if several processes share the store, or else one in this process's memory. */
export function openQueue(options: QueueOptions): Queue {
  const { store } = options;
  return hasLines(store) ? new SharedQueue({ ...options, store }) : new ReadyQueue(options);
}
