import type { Agent } from 'undici';
import { openAgent } from './agent.js';
import type { Clock } from './clock.js';
import { Courier, type CourierOptions, senderTo, sendToRemoved } from './courier.js';
import { DueQueue } from './due-queue.js';
import type { Endpoint, EndpointOptions } from './endpoint.js';
import { type Entry, endedAt, type Ledger } from './ledger.js';
import { LocalEndpoint } from './local-endpoint.js';
import type { Lookup } from './lookup.js';
import type { Reports } from './reports.js';
import type { Settings } from './settings.js';

/** An endpoint as it is now. */
export interface EndpointReport {
  url: string;
  /** `paused`: left alone after failing many times in a row. `probing`: tried with one delivery to see. */
  state: 'open' | 'paused' | 'probing';
  /** In ms since 1970. */
  pausedUntil: number | undefined;
  /** Requests under way. */
  inFlight: number;
  /** Deliveries without an end, those in flight included. */
  waiting: number;
  /** When the earliest of what waits was or is due, in ms since 1970. */
  oldestDue: number | undefined;
}

/** What tests put in the place of the world. */
export interface World {
  clock: Clock;
  /** From 0 up to, but not, 1. */
  chance(): number;
  lookup?: Lookup | undefined;
}

export interface EndpointsOptions {
  readonly settings: Settings;
  readonly world: World;
  readonly ledger: Ledger;
  readonly reports: Reports;
}

const LONG_MS = 2 ** 30;

/** All endpoints of a destination: the configured ones, and those for which something still waits. */
export class Endpoints {
  readonly #options: EndpointsOptions;
  readonly #byUrl = new Map<string, Endpoint>();
  readonly #agents: Agent[] = [];
  /** Whether requests may be cut off, so that how they end says nothing. */
  #isCutOff = false;
  #onIdle: (() => void)[] = [];

  private constructor(options: EndpointsOptions) {
    this.#options = options;
  }

  static async open(options: EndpointsOptions): Promise<Endpoints> {
    const endpoints = new Endpoints(options);
    await endpoints.#open();
    return endpoints;
  }

  get(url: string): Endpoint | undefined {
    return this.#byUrl.get(url);
  }

  report(): EndpointReport[] {
    return [...this.#byUrl.values()].map(({ url, breaker, inFlight, waiting, oldestDue }) => ({
      url,
      state: breaker.phase,
      pausedUntil: breaker.phase === 'paused' ? breaker.until : undefined,
      inFlight,
      waiting,
      oldestDue,
    }));
  }

  /** Resolves once nothing waits, or nothing more will be done about it. */
  async idle(): Promise<void> {
    const hold = setInterval(() => {}, LONG_MS);
    while (!this.#isIdle()) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
    clearInterval(hold);
  }

  /** Begins no more attempts. */
  stop(): void {
    for (const endpoint of this.#byUrl.values()) endpoint.stop();
  }

  /** Lets what is under way end, and cuts it off at the deadline. */
  async close(timeoutMs: number): Promise<void> {
    const endpoints = [...this.#byUrl.values()];
    const quiet = Promise.all(endpoints.map((endpoint) => endpoint.quiet()));
    const disarm = this.#options.world.clock.after(timeoutMs, () => void this.#cutOff());
    await quiet;
    disarm();
    await this.#cutOff();
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  async #open(): Promise<void> {
    const { settings, world } = this.#options;
    const { webhooks, store, concurrency: connections, allowed, standardHeaders: withStandardHeaders } = settings;
    const { clock, lookup } = world;
    const backlog = new Map((await store.backlog()).map(({ url, first, retry }) => [url, first + retry]));
    for (const webhook of webhooks) {
      const agent = await openAgent({ connections, timeoutMs: webhook.timeoutMs, clock, allowed, lookup });
      this.#agents.push(agent);
      const send = senderTo({ webhook, agent, clock, withStandardHeaders });
      this.#add(webhook.name, send, backlog.get(webhook.name) ?? 0);
      backlog.delete(webhook.name);
    }
    for (const [url, waiting] of backlog) this.#add(url, sendToRemoved, waiting);
    for (const endpoint of this.#byUrl.values()) endpoint.start();
  }

  #add(url: string, send: CourierOptions['send'], backlog: number): void {
    const { settings, world, ledger, reports } = this.#options;
    const { store, concurrency, maxWaiting, retryWindowMs: windowMs } = settings;
    const { clock, chance } = world;
    const isCutOff = (): boolean => this.#isCutOff;
    const onExpired = (entry: Entry): void => this.#ended(entry);
    const onHeld = (error: unknown): void => reports.failed(error);
    const courier = new Courier(url, { store, ledger, clock, send, isCutOff, onHeld, onExpired });
    const endpoint: EndpointOptions = {
      url,
      clock,
      chance,
      concurrency,
      windowMs,
      backlog,
      canRecord: () => store.canRecord?.() ?? true,
      attempt: (item) => courier.attempt(item),
      onMade: (id, { attempt, entry }) => {
        reports.attempted(id, url, attempt, entry);
        if (entry !== undefined) this.#ended(entry);
      },
      expire: (item) => courier.expire(item),
      maxWaiting,
      shed: (item) => courier.shed(item),
      onPaused: (until) => reports.emit('paused', { endpoint: url, until }),
      onResumed: () => reports.emit('resumed', { endpoint: url }),
      onCounted: () => this.#tellIdle(),
      onError: (error) => reports.failed(error),
    };
    const local = (): Endpoint => new LocalEndpoint({ ...endpoint, queue: new DueQueue({ url, store, windowMs }) });
    this.#byUrl.set(url, store.endpoint?.(endpoint) ?? local());
  }

  #ended(entry: Entry): void {
    for (const url of endedAt(entry)) this.#byUrl.get(url)?.forget();
    this.#options.reports.ended(entry);
    this.#tellIdle();
  }

  #tellIdle(): void {
    if (this.#onIdle.length > 0 && this.#isIdle()) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #isIdle(): boolean {
    return this.#isCutOff || [...this.#byUrl.values()].every(({ waiting }) => waiting === 0);
  }

  async #cutOff(): Promise<void> {
    this.#isCutOff = true;
    await Promise.all(this.#agents.map((agent) => agent.destroy()));
  }
}
