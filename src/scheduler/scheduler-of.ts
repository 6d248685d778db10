import type { EventStore } from '../store/event-store.js';
import type { SharedStore } from '../store/redis/shared-store.js';
import type { Scheduler } from './endpoint.js';
import { LocalEndpoint } from './local-endpoint.js';
import { ReadyQueue } from './ready-queue.js';

/** The scheduler for the store: in the memory of the one process that has it, or, for several, through BullMQ. */
export async function schedulerOf(store: EventStore): Promise<Scheduler> {
  if (isOnRedis(store)) {
    // Loaded when needed: most programs have a store of one process.
    const { BullmqEndpoint } = await import('./bullmq/bullmq-endpoint.js');
    const { connection, keys } = store;
    return { endpoint: (options) => new BullmqEndpoint({ ...connection, ...options, store, keys }) };
  }
  return {
    endpoint: (options) => new LocalEndpoint({ ...options, queue: new ReadyQueue({ ...options, store }) }),
  };
}

// Importing its classes here would load them into every program.
const isOnRedis = (store: EventStore): store is SharedStore => store.sharedBy === 'bullmq';
