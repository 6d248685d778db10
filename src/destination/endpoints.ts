import { endingsLeft, type StoredEvent } from '../delivery/completion-rule.js';
import { isWaiting } from '../delivery/state.js';
import type { Endpoint, Scheduler } from '../scheduler/endpoint.js';
import { type Cancelled, type Entry, type EventLog, endedAt } from '../store/event-log.js';
import type { Backlog } from '../store/event-store.js';
import { eventKeyOf } from '../store/queue-key.js';
import { DeliveryAttempts, type DeliveryContext, type DeliveryListener } from './delivery-attempts.js';
import type { Dependencies } from './dependencies.js';
import { type EndpointReport, reportOf } from './endpoint-report.js';
import { Erasure } from './erasure.js';
import type { KnownWebhooks } from './known-webhooks.js';
import type { ResolvedOptions } from './options.js';
import type { PreparedEvent } from './prepared-event.js';
import type { Reports } from './reports.js';
import { type Send, Sender, sendToRemoved } from './sender.js';
import { type TestedWebhook, testWebhook } from './test-webhook.js';

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
export class Endpoints implements DeliveryListener {
  readonly erasure: Erasure;
  /** Whether requests may be cut off, so that how they end says nothing. */
  isCutOff = false;
  readonly #options: EndpointsOptions;
  /** All of them, by their webhooks' keys. */
  readonly #prepared = new Map<string, Prepared>();
  /** Those that have, or had, work. */
  readonly #made = new Map<string, Endpoint>();
  /** Post to the webhooks that are configured, by their keys. */
  readonly #senders = new Map<string, Sender>();
  readonly #context: DeliveryContext;
  #unwatch: (() => void)[] = [];
  #isPaused = false;
  #isStopped = false;
  #onIdle: (() => void)[] = [];

  private constructor(options: EndpointsOptions) {
    this.#options = options;
    const { eventLog, reports } = options;
    const { store } = options.options;
    const { clock, recorders = [], deletedUsers } = options.dependencies;
    this.erasure = new Erasure({ store, eventLog, deletedUsers, onErased: (event) => this.#erased(event) });
    this.#context = { store, eventLog, clock, erasure: this.erasure, reports, recorders, endpoints: this };
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

  /** Of those that are configured, and those for which something still waits. */
  report(): EndpointReport[] {
    const { known } = this.#options;
    const keys = [...this.#prepared.keys()].filter((key) => this.#senders.has(key) || this.#waitingAt(key) > 0);
    return keys.map((key) => reportOf(known.nameOf(key), this.#made.get(key)));
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
    const meant = [...this.#senders].filter(([key]) => known.isMeant(key, text));
    return Promise.all(
      meant.map(async ([key, { test }]) => ({
        ...known.nameOf(key),
        ...(await testWebhook(test, event, dependencies.clock)),
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
    this.counted();
  }

  /** A delivery has ended, or will be tried again. */
  moved(entry: Entry): void {
    const { known, reports } = this.#options;
    for (const key of endedAt(entry)) this.#made.get(key)?.forget();
    reports.ended(entry, known);
    this.counted();
  }

  /** Fewer deliveries may wait than before. */
  counted(): void {
    if (this.#onIdle.length > 0 && this.#isIdle()) for (const resolve of this.#onIdle.splice(0)) resolve();
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
    const byUrl = new Map<string, Send>();
    const wantsExchange = (): boolean => this.#context.recorders.some((recorder) => recorder.wantsExchange());
    for (const [index, webhook] of webhooks.entries()) {
      const sender = new Sender(webhook, { ...options, ...dependencies, wantsExchange });
      byUrl.set(webhook.url.href, sender.send);
      const key = known.configured?.[index]?.key ?? webhook.url.href;
      this.#senders.set(key, sender);
      this.#prepared.set(key, { send: sender.send, backlog: backlog.get(key) ?? 0 });
      backlog.delete(key);
    }
    // What waits for a webhook that is gone still arrives where another has come to stand at its URL.
    for (const [key, waiting] of backlog)
      this.#prepared.set(key, { send: byUrl.get(known.urlOf(key)) ?? sendToRemoved, backlog: waiting });
    this.#isPaused = dependencies.isPaused?.() ?? false;
    for (const [key, prepared] of this.#prepared) {
      if (prepared.backlog > 0) this.#make(key, prepared);
      else this.#unwatch.push(scheduler.watch(key, windowMs, () => void this.get(key)));
    }
  }

  /** One that has a backlog is made at the start. */
  #waitingAt(key: string): number {
    return this.#made.get(key)?.waiting ?? 0;
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
    const { options, dependencies, known, scheduler } = this.#options;
    const { concurrency, backlogLimit: limit, retryForMs: windowMs } = options;
    const { clock, random } = dependencies;
    const deliveries = new DeliveryAttempts({ key, name: known.endpointOf(key), send }, this.#context);
    return scheduler.endpoint({ url: key, clock, random, concurrency, windowMs, backlog, limit, deliveries });
  }

  #erased(event: StoredEvent): void {
    const { options, reports } = this.#options;
    this.#forget(event, Object.keys(event.urls));
    reports.counters.erased += endingsLeft(event, options.settle);
    this.counted();
  }

  /** What waits at these webhooks no longer does. */
  #forget(event: StoredEvent, keys: readonly string[]): void {
    const key = eventKeyOf(this.#options.options.store, event);
    for (const each of keys) {
      const state = event.urls[each];
      if (state !== undefined && isWaiting(state)) this.#made.get(each)?.forget({ ...key, at: state.due });
    }
  }

  #isIdle(): boolean {
    return this.isCutOff || [...this.#made.values()].every(({ waiting }) => waiting === 0);
  }

  async #cutOff(): Promise<void> {
    this.isCutOff = true;
    await Promise.all(Array.from(this.#senders.values(), (sender) => sender.destroy()));
  }
}
