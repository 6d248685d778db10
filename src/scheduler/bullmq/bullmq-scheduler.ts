import type { Redis } from 'ioredis';
import type { Endpoint, EndpointOptions, Scheduler } from '../endpoint.js';
import { BullmqEndpoint } from './bullmq-endpoint.js';
import { BullmqStore, type BullmqStoreOptions } from './bullmq-store.js';
import type { Intervals } from './intervals.js';

export interface BullmqSchedulerOptions extends BullmqStoreOptions {
  /** A connection for the workers, which wait however long Redis is gone. */
  readonly patient: Redis;
  readonly intervals: Intervals;
}

/** A store in Redis, and the workers that take what waits in it from BullMQ. */
export class BullmqScheduler extends BullmqStore implements Scheduler {
  readonly #options: BullmqSchedulerOptions;

  constructor(options: BullmqSchedulerOptions) {
    super(options);
    this.#options = options;
  }

  endpoint(options: EndpointOptions): Endpoint {
    const { bullmq, link, patient, intervals } = this.#options;
    return new BullmqEndpoint({ ...options, store: this, keys: this.keys, bullmq, link, patient, intervals });
  }
}
