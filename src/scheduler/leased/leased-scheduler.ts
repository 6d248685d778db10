import { type Breaker, CLOSED } from '../../delivery/breaker.js';
import type { Backlog, EventStore } from '../../store/event-store.js';
import type { Notice } from '../../store/lmdb/lmdb-mailbox.js';
import type { Candidate, Membership } from '../../store/lmdb/membership.js';
import type { SharedLmdbStore, SharedLmdbStoreOptions } from '../../store/lmdb/shared-lmdb-store.js';
import type { Endpoint, EndpointOptions, Scheduler } from '../endpoint.js';
import { LocalEndpoint } from '../local-endpoint.js';
import { type DueItem, ReadyQueue } from '../ready-queue.js';

/** How an endpoint is, as its leader tells the others. */
export interface EndpointState extends Pick<Endpoint, 'waiting' | 'inFlight' | 'breaker' | 'isFailing' | 'oldestDue'> {}

interface LeasedEndpointOptions extends EndpointOptions {
  readonly store: EventStore;
  /** Whether this process may begin an attempt at this moment. */
  mayAttempt(): boolean;
  /** How it is in the process that leads. */
  elsewhere(): EndpointState | undefined;
  onStart(): void;
}

/** Hands out deliveries as long as this process leads the destination, and does nothing while another one does. */
class LeasedEndpoint implements Endpoint {
  readonly #options: LeasedEndpointOptions;
  #local: LocalEndpoint | undefined;
  #isStarted = false;
  #isStopped = false;
  #isPaused = false;

  constructor(options: LeasedEndpointOptions) {
    this.#options = options;
  }

  get url(): string {
    return this.#options.url;
  }

  get waiting(): number {
    return this.#state?.waiting ?? this.#options.backlog;
  }

  get inFlight(): number {
    return this.#state?.inFlight ?? 0;
  }

  get breaker(): Breaker {
    return this.#state?.breaker ?? CLOSED;
  }

  get isFailing(): boolean {
    return this.#state?.isFailing ?? false;
  }

  get oldestDue(): number | undefined {
    return this.#state?.oldestDue;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  isInFlight(id: string): boolean {
    return this.#local?.isInFlight(id) ?? false;
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#local?.setPaused(isPaused);
  }

  start(): void {
    this.#isStarted = true;
    this.#options.onStart();
  }

  /** Nothing: the store tells what it is given, for it knows who led at that moment. */
  accept(): void {}

  forget(): void {
    this.#local?.forget();
  }

  stop(): void {
    this.#isStopped = true;
    this.#local?.stop();
  }

  async quiet(): Promise<void> {
    await this.#local?.quiet();
  }

  /** This process leads now, and that many deliveries wait. */
  lead(backlog: number): void {
    if (!this.#isStarted || this.#isStopped) return;
    const { url, store, windowMs } = this.#options;
    const queue = new ReadyQueue({ url, store, windowMs });
    this.#local = new LocalEndpoint({ ...this.#options, backlog, queue, attempt: (item) => this.#attempt(item) });
    this.#local.setPaused(this.#isPaused);
    this.#local.start();
  }

  /** Another process leads. Resolves once nothing runs here. */
  async follow(): Promise<void> {
    const local = this.#local;
    local?.stop();
    await local?.quiet();
    if (this.#local === local) this.#local = undefined;
  }

  /** A first attempt is due that was not before. */
  came(item: DueItem): void {
    this.#local?.accept(item);
  }

  get #state(): EndpointState | undefined {
    return this.#local ?? this.#options.elsewhere();
  }

  async #attempt(item: DueItem): ReturnType<EndpointOptions['attempt']> {
    return this.#options.mayAttempt() ? this.#options.attempt(item) : undefined;
  }
}

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
