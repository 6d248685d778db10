import type { Clock } from '../base/time/clock.js';
import { retryAfterMs } from '../base/time/retry-after.js';
import type { Answer } from '../delivery/outcome.js';
import { attemptOf } from '../delivery/state.js';
import type { Made } from '../scheduler/endpoint.js';
import { StoreWriteError } from '../store/errors.js';
import type { Entry, EventLog } from '../store/event-log.js';
import type { EventStore } from '../store/event-store.js';
import type { DueItem } from '../store/line.js';
import type { Erasure } from './erasure.js';
import { isOutdated, type Posted } from './post.js';
import type { Send } from './senders.js';

/** How long until it is tried again to put an attempt on record, in ms. */
const HOLD_MS = 1_000;

export interface DeliveryAttemptsOptions {
  readonly store: EventStore;
  readonly eventLog: EventLog;
  readonly clock: Clock;
  readonly send: Send;
  /** Whether requests are being cut off, so that how they end says nothing. */
  isCutOff(): boolean;
  /** Told each time that what became of an attempt could not be written down. */
  onHeld(error: unknown): void;
  /** Told of deliveries whose window closed while they waited. */
  onExpired(entry: Entry): void;
  readonly erasure: Erasure;
}

/** Takes what waits for one URL there, one delivery at a time, and puts on record how it went. */
export class DeliveryAttempts {
  readonly #url: string;
  readonly #options: DeliveryAttemptsOptions;

  constructor(url: string, options: DeliveryAttemptsOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** Undefined when there was nothing to do, or nothing to be known of it. */
  async attempt(item: DueItem): Promise<Made | undefined> {
    const { clock, isCutOff, erasure } = this.#options;
    const body = item.body ?? (await this.#fetch(item));
    if (body === undefined) return undefined;
    const attempts = erasure.enter();
    const sent = await this.#sendUnlessErased(item, body).finally(() => attempts.leave());
    if (sent === undefined || isCutOff()) return undefined;
    const { answer, startedAt } = sent;
    const now = clock.now();
    const attempt = attemptOf(startedAt, now, answer, askedIn(answer, clock));
    return this.#record(item, { attempt, exchange: answer.exchange }, now);
  }

  /** A request may wait for a connection, and its user be deleted meanwhile. Undefined when nothing is sent any more. */
  async #sendUnlessErased(
    item: DueItem,
    body: Uint8Array,
  ): Promise<{ readonly answer: Posted; readonly startedAt: number } | undefined> {
    const { clock, send, erasure } = this.#options;
    for (;;) {
      const seen = erasure.latest;
      if (await erasure.erase(item)) return undefined;
      const startedAt = clock.now();
      const answer = await send(item.id, body, () => erasure.latest !== seen);
      if (!isOutdated(answer)) return { answer, startedAt };
    }
  }

  /** An attempt that cannot be put on record is not made again for that: it is put on record once there is room. */
  async #record(item: DueItem, made: Omit<Made, 'entry'>, now: number): Promise<Made | undefined> {
    const { eventLog, clock, isCutOff, onHeld, erasure } = this.#options;
    for (;;) {
      try {
        const entry = await eventLog.record(this.#url, item, made.attempt, now);
        return { ...made, entry: entry && (await erasure.read(entry)) };
      } catch (error) {
        if (!(error instanceof StoreWriteError)) throw error;
        onHeld(error);
      }
      await new Promise<void>((resolve) => clock.after(HOLD_MS, resolve));
      if (isCutOff()) return undefined;
    }
  }

  /** Ends the delivery if its window is closed. Says whether it no longer waits. */
  async expire(item: DueItem): Promise<boolean> {
    const { eventLog, clock } = this.#options;
    const now = clock.now();
    const state = await eventLog.waitingAt(this.#url, item);
    if (state === undefined) return true;
    if (!eventLog.isExpired(state, now)) return false;
    await this.#tellExpired(await eventLog.expire(this.#url, item, now));
    return true;
  }

  /** Ends the delivery, as too much waits. */
  async shed(item: DueItem): Promise<void> {
    const { eventLog, clock } = this.#options;
    await eventLog.added(item);
    await this.#tellExpired(await eventLog.expire(this.#url, item, clock.now(), 'backlog-full'));
  }

  async #tellExpired(entry: Entry | undefined): Promise<void> {
    const { onExpired, erasure } = this.#options;
    if (entry !== undefined) onExpired(await erasure.read(entry));
  }

  /** The body of a delivery that is still to be made. A first attempt is made however late it is. */
  async #fetch(item: DueItem): Promise<Uint8Array | undefined> {
    await this.#options.eventLog.added(item);
    const state = await this.#options.eventLog.waitingAt(this.#url, item);
    if (state === undefined) return undefined;
    if (state.phase === 'retrying' && (await this.expire(item))) return undefined;
    return this.#options.store.body(item.id, item.partition);
  }
}

/** What the endpoint asks for with Retry-After, in ms. */
const askedIn = (answer: Answer, clock: Clock): number | undefined =>
  'status' in answer && answer.retryAfter !== undefined
    ? retryAfterMs(answer.retryAfter, clock.wall(), Number.MAX_SAFE_INTEGER)
    : undefined;
