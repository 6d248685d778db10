import type { Clock } from '../base/time/clock.js';
import { endingsLeft, type StoredEvent } from '../delivery/completion-rule.js';
import { type Attempt, isWaiting } from '../delivery/state.js';
import type { Endpoint, EndpointOptions, Scheduler } from '../scheduler/endpoint.js';
import { type Cancelled, type Entry, type EventLog, endedAt } from '../store/event-log.js';
import type { Backlog } from '../store/event-store.js';
import { eventKeyOf } from '../store/queue-key.js';
import { DeliveryAttempts } from './delivery-attempts.js';
import { type DeletedUsers, Erasure } from './erasure.js';
import { Exchange } from './exchange.js';
import type { EndpointName, KnownWebhooks, WebhookName } from './known-webhooks.js';
import type { ResolvedOptions } from './options.js';
import type { PreparedEvent } from './prepared-event.js';
import type { Reports } from './reports.js';
import { type Send, Senders, sendToRemoved } from './senders.js';
import type { Lookup } from './ssrf-guard.js';
import { type TestedWebhook, testWebhook } from './test-webhook.js';

/** An endpoint as it is now. */
export interface EndpointReport extends WebhookName {
  /**
   * Of its circuit breaker. `closed`: all is well. `open`: left alone after failing many times in a row. `half-open`: tried with
   * one delivery to see.
   */
  state: 'closed' | 'open' | 'half-open';
  /** In ms since 1970. */
  openUntil: number | undefined;
  /** Whether most of its last ten attempts failed, whatever the reason. */
  failing: boolean;
  /** Requests that run now. */
  inFlight: number;
  /** Deliveries without an end, those in flight included. */
  waiting: number;
  /** When the earliest of what waits was or is due, in ms since 1970. */
  oldestDue: number | undefined;
  /**
   * For how long a delivery has been due that no process has begun, although this one is not paused, its breaker closed, and a request
   * could have begun all that time, in ms: 0 unless something is wrong. With Redis it may be half a minute behind.
   */
  dueUnclaimedMs: number;
}

/** What tests put in the place of the dependencies. */
export interface Dependencies {
  clock: Clock;
  /** From 0 up to, but not, 1. */
  random(): number;
  lookup?: Lookup | undefined;
  /** @default none */
  recorders?: readonly Recorder[] | undefined;
  /** Events that were accepted before their user was deleted are not sent. @default nobody is ever deleted */
  deletedUsers?: DeletedUsers | undefined;
  /** Whether the destination is paused as it is opened. */
  isPaused?(): boolean;
}

/** Is told of every attempt. */
export interface Recorder {
  /** Whether it wants to know what goes over the wire. Asked before each request. */
  wantsExchange(): boolean;
  record(attempted: Attempted): void;
}

/** An attempt that was made, and what became of its event. */
export interface Attempted {
  readonly id: string;
  /** Of the webhook, in the store. */
  readonly key: string;
  readonly name: EndpointName;
  readonly attempt: Attempt;
  /** Undefined when the event was settled while the request ran. */
  readonly entry: Entry | undefined;
  /** Undefined when it was not wanted, or no request was made. */
  readonly exchange: Exchange | undefined;
}

export interface EndpointsOptions {
  readonly options: ResolvedOptions;
  readonly scheduler: Scheduler;
  /** The settings' webhooks are those that are configured, in the same order. */
  readonly known: KnownWebhooks;
  readonly backlog: readonly Backlog[];
  readonly dependencies: Dependencies;
  readonly eventLog: EventLog;
  readonly reports: Reports;
}

/** How an endpoint comes into being. */
interface Prepared {
  readonly send: Send;
  /** How many deliveries have waited since before this process. */
  readonly backlog: number;
}

/**
 * All endpoints of a destination: the configured ones, and those for which something still waits. One without work is not made
 * until it has some, so that thousands of quiet ones cost next to nothing.
 */
export class Endpoints {
  readonly erasure: Erasure;
  readonly #options: EndpointsOptions;
  /** All of them, by their webhooks' keys. */
  readonly #prepared = new Map<string, Prepared>();
  /** Those that have, or had, work. */
  readonly #made = new Map<string, Endpoint>();
  readonly #senders: Senders;
  #unwatch: (() => void)[] = [];
  /** Post to each webhook that is configured, by its key, and keep what goes over the wire. */
  readonly #testers = new Map<string, Send>();
  /** Whether requests may be cut off, so that how they end says nothing. */
  #isCutOff = false;
  #isPaused = false;
  #isStopped = false;
  #onIdle: (() => void)[] = [];

  private constructor(options: EndpointsOptions) {
    this.#options = options;
    this.#senders = new Senders(options.options, options.dependencies);
    this.erasure = new Erasure({
      store: options.options.store,
      eventLog: options.eventLog,
      deletedUsers: options.dependencies.deletedUsers,
      onErased: (event) => this.#erased(event),
    });
  }

  static open(options: EndpointsOptions): Endpoints {
    const endpoints = new Endpoints(options);
    options.options.store.onReady = ({ url, key }) => endpoints.get(url)?.ready(key);
    endpoints.#open();
    return endpoints;
  }

  /** Makes the endpoint where it is not made yet; undefined where there is none of that key. */
  get(key: string): Endpoint | undefined {
    const made = this.#made.get(key);
    const prepared = this.#prepared.get(key);
    return made ?? (prepared && this.#make(key, prepared));
  }

  report(): EndpointReport[] {
    return Array.from(this.#prepared.keys(), (key) => {
      const name = this.#options.known.nameOf(key);
      const endpoint = this.#made.get(key);
      if (endpoint === undefined) return { ...name, ...QUIET };
      const { breaker, isFailing, inFlight, waiting, oldestDue, dueUnclaimedMs } = endpoint;
      return {
        ...name,
        state: breaker.phase,
        openUntil: breaker.phase === 'open' ? breaker.until : undefined,
        failing: isFailing,
        inFlight,
        waiting,
        oldestDue: oldestDue === undefined ? undefined : Math.floor(oldestDue),
        dueUnclaimedMs,
      };
    });
  }

  /** Deliveries without an end, at all of them. */
  get waiting(): number {
    let sum = 0;
    for (const { waiting } of this.#made.values()) sum += waiting;
    return sum;
  }

  /** Posts the event once to each webhook that the text means, all without a text, whatever state their endpoints are in. */
  test(event: PreparedEvent, text: string | undefined): Promise<TestedWebhook[]> {
    const { known, dependencies } = this.#options;
    const meant = [...this.#testers].filter(([key]) => known.isMeant(key, text));
    return Promise.all(
      meant.map(async ([key, send]) => ({
        ...known.nameOf(key),
        ...(await testWebhook(send, event, dependencies.clock)),
      })),
    );
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    for (const endpoint of this.#made.values()) endpoint.setPaused(isPaused);
  }

  /** Resolves once nothing waits, or nothing more will be done about it. */
  async idle(): Promise<void> {
    const release = this.#options.dependencies.clock.hold();
    while (!this.#isIdle()) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
    release();
  }

  /** Deliveries of an event were discarded while they waited. */
  cancelled({ before, after, urls }: Cancelled): void {
    const { options, reports } = this.#options;
    this.#forget(before, urls);
    const left = after === undefined ? 0 : endingsLeft(after, options.settle);
    reports.counters.discarded += endingsLeft(before, options.settle) - left;
    this.#tellIdle();
  }

  /** Begins no more attempts. */
  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#unwatch.splice(0)) cancel();
    for (const endpoint of this.#made.values()) endpoint.stop();
  }

  /** Lets running requests end, and cuts them off at the deadline. */
  async close(timeoutMs: number): Promise<void> {
    const endpoints = [...this.#made.values()];
    const quiet = Promise.all(endpoints.map((endpoint) => endpoint.quiet()));
    const disarm = this.#options.dependencies.clock.after(timeoutMs, () => void this.#cutOff());
    await quiet;
    disarm();
    await this.#cutOff();
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #open(): void {
    const { options, dependencies, known, scheduler } = this.#options;
    const { webhooks, retryForMs: windowMs } = options;
    const backlog = new Map(this.#options.backlog.map(({ url, first, retry }) => [url, first + retry]));
    const senders = new Map<string, Send>();
    for (const [index, webhook] of webhooks.entries()) {
      const { send, test } = this.#senders.to(webhook);
      senders.set(webhook.url.href, send);
      const key = known.configured?.[index]?.key ?? webhook.url.href;
      this.#testers.set(key, test);
      this.#prepared.set(key, { send, backlog: backlog.get(key) ?? 0 });
      backlog.delete(key);
    }
    // What waits for a webhook that is gone still arrives where another has come to stand at its URL.
    for (const [key, waiting] of backlog)
      this.#prepared.set(key, { send: senders.get(known.urlOf(key)) ?? sendToRemoved, backlog: waiting });
    this.#isPaused = dependencies.isPaused?.() ?? false;
    for (const [key, prepared] of this.#prepared) {
      if (prepared.backlog > 0) this.#make(key, prepared);
      else this.#unwatch.push(scheduler.watch(key, windowMs, () => void this.get(key)));
    }
  }

  #make(key: string, prepared: Prepared): Endpoint {
    const endpoint = this.#create(key, prepared);
    this.#made.set(key, endpoint);
    endpoint.setPaused(this.#isPaused);
    if (this.#isStopped) endpoint.stop();
    else endpoint.start();
    return endpoint;
  }

  #create(key: string, { send, backlog }: Prepared): Endpoint {
    const { options, dependencies, known, eventLog, reports } = this.#options;
    const { store, concurrency, backlogLimit, retryForMs: windowMs } = options;
    const { clock, random, recorders = [] } = dependencies;
    const { erasure } = this;
    const isCutOff = (): boolean => this.#isCutOff;
    const onExpired = (entry: Entry): void => this.#ended(entry);
    const onHeld = (error: unknown): void => reports.failed(error);
    const name = known.endpointOf(key);
    const attempts = new DeliveryAttempts(key, { store, eventLog, clock, send, isCutOff, onHeld, onExpired, erasure });
    const endpoint: EndpointOptions = {
      url: key,
      clock,
      random,
      concurrency,
      windowMs,
      backlog,
      canRecord: () => store.canRecord?.() ?? true,
      attempt: (item) => attempts.attempt(item),
      onMade: (id, { attempt, entry, exchange: made }) => {
        reports.attempted(id, key, name, attempt, entry);
        const exchange = made instanceof Exchange ? made : undefined;
        for (const recorder of recorders) recorder.record({ id, key, name, attempt, entry, exchange });
        if (entry !== undefined) this.#ended(entry);
      },
      expire: (item) => attempts.expire(item),
      limit: backlogLimit,
      shed: (item) => attempts.shed(item),
      onBreaker: (breaker) => reports.breakerTurned(name, breaker),
      onFailing: (failing) => reports.failingTurned(name, failing),
      onCounted: () => this.#tellIdle(),
      onError: (error) => reports.failed(error),
    };
    return this.#options.scheduler.endpoint(endpoint);
  }

  #ended(entry: Entry): void {
    const { known, reports } = this.#options;
    for (const key of endedAt(entry)) this.#made.get(key)?.forget();
    reports.ended(entry, known);
    this.#tellIdle();
  }

  #erased(event: StoredEvent): void {
    const { options, reports } = this.#options;
    this.#forget(event, Object.keys(event.urls));
    reports.counters.erased += endingsLeft(event, options.settle);
    this.#tellIdle();
  }

  /** What waits at these webhooks no longer does. */
  #forget(event: StoredEvent, keys: readonly string[]): void {
    const key = eventKeyOf(this.#options.options.store, event);
    for (const each of keys) {
      const state = event.urls[each];
      if (state !== undefined && isWaiting(state)) this.#made.get(each)?.forget({ ...key, at: state.due });
    }
  }

  #tellIdle(): void {
    if (this.#onIdle.length > 0 && this.#isIdle()) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #isIdle(): boolean {
    return this.#isCutOff || [...this.#made.values()].every(({ waiting }) => waiting === 0);
  }

  async #cutOff(): Promise<void> {
    this.#isCutOff = true;
    await this.#senders.destroy();
  }
}

/** The report of an endpoint that never had work. */
const QUIET = {
  state: 'closed',
  openUntil: undefined,
  failing: false,
  inFlight: 0,
  waiting: 0,
  oldestDue: undefined,
  dueUnclaimedMs: 0,
} satisfies Omit<EndpointReport, keyof WebhookName>;
