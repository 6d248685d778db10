import { endingsLeft, type StoredEvent } from '../../delivery/completion-rule.js';
import type { FailedBefore } from '../../delivery/health.js';
import { type Attempt, attemptOf, isWaiting } from '../../delivery/state.js';
import { LineEndpoint } from '../../scheduler/line-endpoint.js';
import { type Cancelled, type EventChange, type EventLog, endedAt } from '../../store/event-log.js';
import type { Backlog } from '../../store/event-store.js';
import { hasLines } from '../../store/line.js';
import { eventKeyOf } from '../../store/queue-key.js';
import type { Dependencies } from '../destination-dependencies.js';
import type { PreparedEvent } from '../intake/prepared-event.js';
import type { Reports } from '../reports/reports.js';
import { Erasure } from '../retention/erasure.js';
import { DeliveryAttempts, type DeliveryContext, type DeliveryListener } from '../sending/delivery-attempts.js';
import type { ShownExchange } from '../sending/exchange.js';
import { Sender, type SendRequest, sendToRemoved } from '../sending/sender.js';
import type { ResolvedDestinationOptions } from '../settings/destination-options.js';
import { type EndpointReport, reportOf } from './endpoint-report.js';
import type { KnownWebhooks, WebhookName } from './known-webhooks.js';

/** A webhook and its answer to a test event. */
export interface TestedWebhook extends WebhookName {
  readonly attempt: Attempt;
  /** Undefined when no request was made. */
  readonly exchange: ShownExchange | undefined;
}

export interface EndpointsOptions {
  readonly options: ResolvedDestinationOptions;
  /** `known.configured` lists the webhooks of the settings in the same order. */
  readonly known: KnownWebhooks;
  readonly backlog: readonly Backlog[];
  readonly dependencies: Dependencies;
  readonly eventLog: EventLog;
  readonly reports: Reports;
}

/**
 * All endpoints of a destination: the configured ones, and those for which deliveries still wait. An endpoint is only created
 * once it has work, so that thousands of quiet ones cost next to nothing.
 */
export class Endpoints implements DeliveryListener {
  readonly erasure: Erasure;
  /** True once requests may be cut off. Their outcome then says nothing about the endpoint. */
  isCutOff = false;
  readonly #options: EndpointsOptions;
  /** The endpoints that have or had work, by the keys of their webhooks. */
  readonly #made = new Map<string, LineEndpoint>();
  /** The senders of the configured webhooks, at the same indexes. A sender that was never needed is undefined. */
  readonly #senders: (Sender | undefined)[] = [];
  readonly #context: DeliveryContext;
  #unwatch: (() => void)[] = [];
  #isPaused = false;
  #isStopped = false;
  #onIdle: (() => void)[] = [];

  constructor(options: EndpointsOptions) {
    this.#options = options;
    const { eventLog, reports } = options;
    const { store } = options.options;
    const { clock, deletedUsers } = options.dependencies;
    this.erasure = new Erasure({ store, eventLog, deletedUsers, onErased: (event) => this.#erased(event) });
    this.#context = { store, eventLog, clock, erasure: this.erasure, reports, endpoints: this };
    store.onReady = ({ url, key }) => this.get(url)?.ready(key);
    this.#open();
  }

  /** Returns the endpoint, creating it if necessary; undefined if there is no webhook with that key. */
  get(key: string): LineEndpoint | undefined {
    return this.#made.get(key) ?? (this.#keys.includes(key) ? this.#make(key, 0) : undefined);
  }

  /** Reports on the endpoints that are configured, and on those for which deliveries still wait. */
  report(): EndpointReport[] {
    const { known } = this.#options;
    const keys = this.#keys;
    const left = [...this.#made].filter(([key, { waiting }]) => waiting > 0 && !keys.includes(key));
    return [...keys, ...left.map(([key]) => key)].map((key) => reportOf(known.nameOf(key), this.#made.get(key)));
  }

  /** The number of deliveries that have not ended, over all endpoints. */
  get waiting(): number {
    let sum = 0;
    for (const { waiting } of this.#made.values()) sum += waiting;
    return sum;
  }

  /** Posts the event once to each webhook that the text identifies, or to all without a text, whatever their state. */
  test({ id, body }: PreparedEvent, text: string | undefined): Promise<TestedWebhook[]> {
    const { known, dependencies } = this.#options;
    const { clock } = dependencies;
    const meant = [...this.#keys.entries()].filter(([, key]) => known.isMeant(key, text));
    return Promise.all(
      meant.map(async ([place, key]) => {
        const startedAt = clock.now();
        const answer = await this.#senderAt(place).test(id, body);
        const attempt = attemptOf(startedAt, clock.now(), answer, undefined);
        return { ...known.nameOf(key), attempt, exchange: answer.exchange?.shown() };
      }),
    );
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    for (const endpoint of this.#made.values()) endpoint.setPaused(isPaused);
  }

  /** Resolves once no delivery waits, or once waiting deliveries will no longer be sent. */
  async idle(): Promise<void> {
    const release = this.#options.dependencies.clock.hold();
    while (!this.#isIdle()) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
    release();
  }

  /** Called when waiting deliveries of an event were discarded. */
  cancelled({ before, after, urls }: Cancelled): void {
    const { options, reports } = this.#options;
    this.#forget(before, urls);
    const left = after === undefined ? 0 : endingsLeft(after, options.settle);
    reports.counters.discarded += endingsLeft(before, options.settle) - left;
    this.counted();
  }

  /** Called when a delivery has ended or will be retried. */
  moved(entry: EventChange): void {
    const { known, reports } = this.#options;
    for (const key of endedAt(entry)) this.#made.get(key)?.forget();
    reports.ended(entry, known);
    this.counted();
  }

  /** Called when the number of waiting deliveries may have dropped. */
  counted(): void {
    if (this.#onIdle.length > 0 && this.#isIdle()) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /** Starts no more attempts. */
  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#unwatch.splice(0)) cancel();
    for (const endpoint of this.#made.values()) endpoint.stop();
  }

  /** Waits for running requests, and cuts them off at the deadline. */
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
    const { options, dependencies, backlog } = this.#options;
    const { store, retryForMs } = options;
    this.#isPaused = dependencies.isPaused?.(options.name) ?? false;
    for (const { url, first, retry } of backlog) this.#make(url, first + retry);
    for (const key of this.#keys) if (this.#failedBefore(key) !== undefined) this.get(key);
    // Without other processes on the store, this process creates each endpoint itself when a delivery arrives for it.
    if (!hasLines(store)) return;
    for (const key of this.#keys) {
      if (!this.#made.has(key)) this.#unwatch.push(store.watch(key, retryForMs, () => void this.get(key)));
    }
  }

  /** The keys of the configured webhooks, in their order. */
  get #keys(): readonly string[] {
    return this.#options.known.configuredKeys;
  }

  #make(key: string, backlog: number): LineEndpoint {
    const endpoint = this.#create(key, backlog);
    this.#made.set(key, endpoint);
    endpoint.setPaused(this.#isPaused);
    if (this.#isStopped) endpoint.stop();
    else endpoint.start();
    return endpoint;
  }

  #create(key: string, backlog: number): LineEndpoint {
    const { options, dependencies, known } = this.#options;
    const { store, concurrency, backlogLimit: limit, retryForMs: windowMs } = options;
    const { clock, random } = dependencies;
    const deliveries = new DeliveryAttempts(
      { key, name: known.endpointOf(key), send: this.#sendTo(key) },
      this.#context,
    );
    const failedBefore = this.#failedBefore(key);
    const settings = { url: key, store, clock, random, concurrency, windowMs, backlog, limit };
    return new LineEndpoint({ ...settings, failedBefore, deliveries });
  }

  #failedBefore(key: string): FailedBefore | undefined {
    const { options, dependencies, known } = this.#options;
    return dependencies.failedBefore?.(options.name, known.endpointOf(key));
  }

  /** A delivery for a webhook that is gone is sent to the configured webhook with the same URL, if there is one. */
  #sendTo(key: string): SendRequest {
    const { options, known } = this.#options;
    const place = this.#keys.indexOf(key);
    if (place >= 0) return this.#senderAt(place).send;
    const there = options.webhooks.findIndex(({ url }) => url === known.urlOf(key));
    return there < 0 ? sendToRemoved : this.#senderAt(there).send;
  }

  #senderAt(place: number): Sender {
    const { options, dependencies, reports } = this.#options;
    const webhook = options.webhooks[place];
    if (webhook === undefined) throw new Error(`Expected a webhook at ${place}`);
    const wantsExchange = (): boolean => reports.wantsExchange();
    this.#senders[place] ??= new Sender(webhook, { ...options, ...dependencies, wantsExchange });
    return this.#senders[place];
  }

  #erased(event: StoredEvent): void {
    const { options, reports } = this.#options;
    this.#forget(event, Object.keys(event.urls));
    reports.counters.erased += endingsLeft(event, options.settle);
    this.counted();
  }

  /** Tells the endpoints of these webhooks that the event no longer waits there. */
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
    await Promise.all(this.#senders.map((sender) => sender?.destroy()));
  }
}
