import type { Backlog } from '../../store/event-store.js';
import type { Notice } from '../../store/lmdb/lmdb-mailbox.js';
import type { Candidate, Membership } from '../../store/lmdb/membership.js';
import type { SharedLmdbStore, SharedLmdbStoreOptions } from '../../store/lmdb/shared-lmdb-store.js';
import type { Endpoint, EndpointOptions, Scheduler } from '../endpoint.js';
import { type EndpointState, LeasedEndpoint } from './leased-endpoint.js';

const schedulers = new WeakMap<SharedLmdbStore, LeasedScheduler>();

/** Hands out the deliveries of one destination in the process that holds its lease; its endpoints are led together. */
export class LeasedScheduler implements Scheduler, Candidate {
  readonly number: number;
  readonly #store: SharedLmdbStore;
  readonly #shared: SharedLmdbStoreOptions;
  readonly #membership: Membership;
  #endpoints: LeasedEndpoint[] = [];
  #onError: ((error: unknown) => void) | undefined;

  private constructor(store: SharedLmdbStore, membership: Membership) {
    this.number = store.shared.number;
    this.#store = store;
    this.#shared = store.shared;
    this.#membership = membership;
  }

  /** The same for the same store: a destination may be opened anew while the one before it still closes. */
  static of(store: SharedLmdbStore): LeasedScheduler {
    const { membership } = store.shared;
    if (membership === undefined) throw new Error('A store that was opened to be looked into hands nothing out');
    const scheduler = schedulers.get(store) ?? new LeasedScheduler(store, membership);
    schedulers.set(store, scheduler);
    return scheduler;
  }

  endpoint(options: EndpointOptions): Endpoint {
    const endpoint = new LeasedEndpoint({
      ...options,
      store: this.#store,
      mayAttempt: () => this.#membership.leads(this.number),
      elsewhere: () => this.#elsewhere()[options.url],
      onStart: () => this.#membership.stand(this),
    });
    this.#onError = options.onError;
    this.#endpoints.push(endpoint);
    return endpoint;
  }

  backlog(): Backlog[] {
    return this.#shared.records.backlog();
  }

  lead(backlog: readonly Backlog[]): void {
    for (const endpoint of this.#endpoints) {
      const { first, retry } = backlog.find(({ url }) => url === endpoint.url) ?? { first: 0, retry: 0 };
      endpoint.lead(first + retry);
    }
  }

  async follow(): Promise<void> {
    await Promise.all(this.#endpoints.map((endpoint) => endpoint.follow()));
  }

  /** A destination that was opened anew meanwhile begins with what waits then. */
  resigned(): void {
    this.#endpoints = this.#endpoints.filter(({ isStopped }) => !isStopped);
    if (this.#endpoints.length > 0) this.#membership.stand(this);
  }

  learn({ id, at, came, went }: Pick<Notice, 'id' | 'at' | 'came' | 'went'>, body?: Uint8Array): void {
    for (const endpoint of this.#endpoints) {
      if (came.includes(endpoint.url)) endpoint.came({ at, id, body });
      if (went.includes(endpoint.url)) endpoint.forget();
    }
  }

  report(): string {
    const states = this.#endpoints.map(({ url, waiting, inFlight, breaker, isFailing, oldestDue }) => {
      const state: EndpointState = { waiting, inFlight, breaker, isFailing, oldestDue };
      return [url, state];
    });
    return JSON.stringify(Object.fromEntries(states));
  }

  failed(error: unknown): void {
    this.#onError?.(error);
  }

  #elsewhere(): Record<string, EndpointState> {
    return JSON.parse(this.#shared.mailbox.report(this.number) ?? '{}');
  }
}
