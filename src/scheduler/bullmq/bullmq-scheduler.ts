import type { RedisStore } from '../../store/redis/redis-store.js';
import type { Endpoint, EndpointOptions, Scheduler } from '../endpoint.js';
import { BullmqEndpoint } from './bullmq-endpoint.js';

/** Hands out what waits in a store on Redis through the workers of BullMQ. */
export class BullmqScheduler implements Scheduler {
  readonly #store: RedisStore;

  constructor(store: RedisStore) {
    this.#store = store;
  }

  endpoint(options: EndpointOptions): Endpoint {
    return new BullmqEndpoint({ ...options, ...this.#store.connection, store: this.#store, keys: this.#store.keys });
  }
}
