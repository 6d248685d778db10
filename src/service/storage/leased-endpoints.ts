import type { Endpoint, EndpointOptions } from '../../scheduler/endpoint.js';
import type { LmdbRecords } from '../../store/lmdb/lmdb-records.js';
import type { Backlog, Store } from '../../store/store.js';
import { type EndpointState, LeasedEndpoint } from './leased-endpoint.js';
import type { LmdbMailbox, Notice } from './lmdb-mailbox.js';
import type { Candidate, Membership } from './membership.js';

export interface LeasedEndpointsOptions {
  /** The destination's. */
  readonly number: number;
  readonly records: LmdbRecords;
  readonly mailbox: LmdbMailbox;
  readonly membership: Membership;
}

/** The endpoints of one destination, which are led together. */
export class LeasedEndpoints implements Candidate {
  readonly number: number;
  readonly #options: LeasedEndpointsOptions;
  #endpoints: LeasedEndpoint[] = [];
  #onError: ((error: unknown) => void) | undefined;

  constructor(options: LeasedEndpointsOptions) {
    this.number = options.number;
    this.#options = options;
  }

  add(options: EndpointOptions, store: Store): Endpoint {
    const { membership } = this.#options;
    const endpoint = new LeasedEndpoint({
      ...options,
      store,
      mayAttempt: () => membership.leads(this.number),
      elsewhere: () => this.#elsewhere()[options.url],
      onStart: () => membership.stand(this),
    });
    this.#onError = options.onError;
    this.#endpoints.push(endpoint);
    return endpoint;
  }

  /** Lets others lead; among them whoever has opened the destination anew meanwhile, who begins with what waits then. */
  async close(): Promise<void> {
    const { membership } = this.#options;
    await membership.resign(this);
    this.#endpoints = this.#endpoints.filter(({ isStopped }) => !isStopped);
    if (this.#endpoints.length > 0) membership.stand(this);
  }

  backlog(): Backlog[] {
    return this.#options.records.backlog();
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
    return JSON.parse(this.#options.mailbox.report(this.number) ?? '{}');
  }
}
