import type { Clock } from '../../base/time/clock.js';
import { retryAfterMs } from '../../base/time/retry-after.js';
import type { EndpointAnswer } from '../../delivery/attempt-outcome.js';
import type { Breaker, Failing } from '../../delivery/health.js';
import { type Attempt, attemptOf, type DeathReason } from '../../delivery/state.js';
import type { Deliveries, Made } from '../../scheduler/endpoint-options.js';
import type { EventChange, EventLog } from '../../store/event-log.js';
import type { EventStore, QueueKey } from '../../store/event-store.js';
import type { DueItem } from '../../store/line.js';
import { StoreWriteError } from '../../store/store-errors.js';
import type { EndpointName } from '../endpoints/known-webhooks.js';
import type { Reports } from '../reports/reports.js';
import type { Erasure } from '../retention/erasure.js';
import { Exchange } from './exchange.js';
import { isOutdated, type Posted, type SendRequest } from './sender.js';

/** How long to wait, in ms, before another try to record an attempt. */
const HOLD_MS = 1_000;

/** The webhook that receives the deliveries. */
export interface DeliveryTarget {
  /** The key of the webhook in the store. */
  readonly key: string;
  readonly name: EndpointName;
  readonly send: SendRequest;
}

/** What all endpoints of a destination share. */
export interface DeliveryContext {
  readonly store: EventStore;
  readonly eventLog: EventLog;
  readonly clock: Clock;
  readonly erasure: Erasure;
  readonly reports: Reports;
  readonly endpoints: DeliveryListener;
}

export interface DeliveryListener {
  /** True once requests are being cut off. Their outcome then says nothing about the endpoint. */
  readonly isCutOff: boolean;
  /** Called when one delivery of an event has ended or will be retried. */
  moved(entry: EventChange): void;
  /** Called when the number of waiting deliveries may have dropped. */
  counted(): void;
}

/** Makes the deliveries to one webhook, one at a time, and records their outcome. */
export class DeliveryAttempts implements Deliveries {
  readonly #target: DeliveryTarget;
  readonly #context: DeliveryContext;

  constructor(target: DeliveryTarget, context: DeliveryContext) {
    this.#target = target;
    this.#context = context;
  }

  /** Returns undefined when there was nothing to send, or when the outcome cannot be known. */
  async attempt(item: DueItem): Promise<Made | undefined> {
    const { eventLog, clock, endpoints, reports, erasure } = this.#context;
    const { body, source } = item.body === undefined ? await this.#fetch(item) : item;
    const sent = body && (await this.#send(item, body));
    if (sent === undefined || endpoints.isCutOff) return undefined;
    const { answer, attempt } = sent;
    // If the store cannot record the attempt, the recording is retried, not the attempt.
    for (;;) {
      try {
        const entry = await eventLog.record(this.#target.key, item, attempt, attempt.at + attempt.durationMs);
        return { attempt, source, exchange: answer.exchange, entry: entry && (await erasure.read(entry)) };
      } catch (error) {
        if (!(error instanceof StoreWriteError)) throw error;
        reports.failed(error);
      }
      await new Promise<void>((resolve) => clock.after(HOLD_MS, resolve));
      if (endpoints.isCutOff) return undefined;
    }
  }

  /**
   * Checks again once there is a connection, because the user may be deleted while the request waits for one. Returns undefined
   * when nothing is to be sent any more.
   */
  async #send(
    item: DueItem,
    body: Uint8Array,
  ): Promise<{ readonly answer: Posted; readonly attempt: Attempt } | undefined> {
    const { clock, erasure } = this.#context;
    const attempts = erasure.enter();
    try {
      for (;;) {
        const seen = erasure.latest;
        if (await erasure.erase(item)) return undefined;
        const startedAt = clock.now();
        const answer = await this.#target.send(item.id, body, () => erasure.latest !== seen);
        if (!isOutdated(answer))
          return { answer, attempt: attemptOf(startedAt, clock.now(), answer, askedIn(answer, clock)) };
      }
    } finally {
      attempts.leave();
    }
  }

  made(id: string, { attempt, source, entry, exchange }: Made): void {
    const { reports, endpoints } = this.#context;
    const { key, name } = this.#target;
    const kept = exchange instanceof Exchange ? exchange : undefined;
    reports.attempted({ id, key, name, attempt, source, entry, exchange: kept });
    if (entry !== undefined) endpoints.moved(entry);
  }

  breakerTurned(breaker: Breaker): void {
    this.#context.reports.breakerTurned(this.#target.name, breaker);
  }

  failingTurned(failing: Failing | undefined): void {
    this.#context.reports.failingTurned(this.#target.name, failing);
  }

  counted(): void {
    this.#context.endpoints.counted();
  }

  failed(error: unknown): void {
    this.#context.reports.failed(error);
  }

  /** Ends the delivery without another attempt. */
  async end(key: QueueKey, reason: DeathReason): Promise<void> {
    const { eventLog, clock, endpoints, erasure } = this.#context;
    await eventLog.added(key);
    const entry = await eventLog.expire(this.#target.key, key, clock.now(), reason);
    if (entry !== undefined) endpoints.moved(await erasure.read(entry));
  }

  /** Reads body and source if the delivery is still to be made. A first attempt is made however late it is. */
  async #fetch(item: DueItem): Promise<Pick<DueItem, 'body' | 'source'>> {
    const { eventLog, clock, store } = this.#context;
    await eventLog.added(item);
    const waiting = await eventLog.waitingAt(this.#target.key, item);
    if (waiting === undefined) return {};
    const { state, source } = waiting;
    if (state.phase === 'pending' || !eventLog.isExpired(state, clock.now()))
      return { body: await store.body(item.id, item.partition), source };
    await this.end(item, 'window-over');
    return {};
  }
}

/** Reads the pause that the endpoint asks for with Retry-After, in ms. */
const askedIn = (answer: EndpointAnswer, clock: Clock): number | undefined =>
  'status' in answer && answer.retryAfter !== undefined
    ? retryAfterMs(answer.retryAfter, clock.wall(), Number.MAX_SAFE_INTEGER)
    : undefined;
