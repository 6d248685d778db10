import type { EventStore } from '../store/event-store.js';
import type { SharedLmdbStore } from '../store/lmdb/shared-lmdb-store.js';
import type { RedisStore } from '../store/redis/redis-store.js';
import type { Scheduler } from './endpoint.js';
import { LocalEndpoint } from './local-endpoint.js';
import { ReadyQueue } from './ready-queue.js';

/** The scheduler for the store: by its lease, through BullMQ, or, for a store of one process, in memory. */
export async function schedulerOf(store: EventStore): Promise<Scheduler> {
  // Loaded when needed: most programs have a store of one process.
  if (isLeased(store)) return (await import('./leased/leased-scheduler.js')).LeasedScheduler.of(store);
  if (isOnRedis(store)) {
    const { BullmqEndpoint } = await import('./bullmq/bullmq-endpoint.js');
    const { connection, keys } = store;
    return { endpoint: (options) => new BullmqEndpoint({ ...options, ...connection, store, keys }) };
  }
  return {
    endpoint: (options) => new LocalEndpoint({ ...options, queue: new ReadyQueue({ ...options, store }) }),
  };
}

// Each has one class. Importing the classes here would load them into every program.
const isLeased = (store: EventStore): store is SharedLmdbStore => store.sharedBy === 'lease';
const isOnRedis = (store: EventStore): store is RedisStore => store.sharedBy === 'bullmq';
