import { Registry } from 'prom-client';
import { singleFlight } from '../../base/structures/turns.js';
import type { Clock } from '../../base/time/clock.js';
import type { Storage } from '../../store/storage.js';
import { VERSION } from '../../version.js';
import type { Status } from '../api/answer-types.js';
import { iso, isoOr } from '../api/iso.js';
import type { ManagedDestinations } from '../routing/managed-destinations.js';
import { EventLoop } from './event-loop.js';
import { ReadinessCheck, type ReadinessCheckOptions } from './readiness.js';
import { type ServiceLevels, serviceMetrics } from './service-metrics.js';

export interface OperationsOptions extends Omit<ServiceLevels, 'readiness' | 'eventLoop'>, ReadinessCheckOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly managedDestinations: ManagedDestinations;
  collectorMetrics(): Promise<string>;
}

/** Reports the state of the service to probes, monitoring and people. */
export class Operations {
  readonly #options: OperationsOptions;
  readonly #eventLoop: EventLoop;
  readonly #readiness: ReadinessCheck;
  readonly #startedAt: number;
  /** Reads the metrics once for all callers that ask at the same time, because they may be read often. */
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>;

  constructor(options: OperationsOptions) {
    const { clock } = options;
    this.#options = options;
    this.#startedAt = clock.wall();
    this.#readiness = new ReadinessCheck(options);
    this.#eventLoop = new EventLoop(() => clock.now());
    const metrics = serviceMetrics({ ...options, readiness: this.#readiness, eventLoop: this.#eventLoop });
    this.metrics = singleFlight(async () => {
      const [own, collector] = await Promise.all([metrics(), options.collectorMetrics()]);
      return { text: `${own}\n${collector}`, contentType: Registry.PROMETHEUS_CONTENT_TYPE };
    });
  }

  async status(): Promise<Status> {
    const { storage, state, config, losses } = this.#options;
    // The size of a failed store cannot be read, but the status is needed most while the store fails.
    const { open: _, ...readiness } = await this.#readiness.glance();
    const bytes = readiness.code === 'store-failed' ? null : await storage.size().catch(() => null);
    return {
      readiness,
      version: VERSION,
      startedAt: iso(this.#startedAt),
      process: process.pid,
      config: { loadedAt: iso(state.loadedAt), ...(state.error !== undefined && { error: state.error }) },
      store: { type: config().store.type, bytes, emptiedAt: isoOr(losses.lastAt) },
      eventLoopDelayMs: this.#eventLoop.delays(),
    };
  }

  /** @throws ApiRefusal when no messages can be taken now */
  assertReady(): Promise<void> {
    return this.#readiness.assert();
  }

  close(): void {
    this.#eventLoop.stop();
  }
}
