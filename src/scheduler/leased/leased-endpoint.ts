import { type Breaker, CLOSED } from '../../delivery/breaker.js';
import type { EventStore } from '../../store/event-store.js';
import type { Endpoint, EndpointOptions } from '../endpoint.js';
import { LocalEndpoint } from '../local-endpoint.js';
import type { DueItem } from '../read-ahead-buffer.js';
import { ReadyQueue } from '../ready-queue.js';

/** How an endpoint is, as its leader tells the others. */
export interface EndpointState extends Pick<Endpoint, 'waiting' | 'inFlight' | 'breaker' | 'isFailing' | 'oldestDue'> {}

export interface LeasedEndpointOptions extends EndpointOptions {
  readonly store: EventStore;
  /** Whether this process may begin an attempt at this moment. */
  mayAttempt(): boolean;
  /** How it is in the process that leads. */
  elsewhere(): EndpointState | undefined;
  onStart(): void;
}

/** Hands out deliveries as long as this process leads the destination, and does nothing while another one does. */
export class LeasedEndpoint implements Endpoint {
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
