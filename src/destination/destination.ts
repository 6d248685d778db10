import {
  checkOpened,
  checkOptions,
  checkValues,
  type Rules,
  required,
  text,
  timeLimit,
} from '../base/options/check-options.js';
import { systemClock } from '../base/time/clock.js';
import type { ReceivedMessage } from '../collector/received-message.js';
import type { Deliverable } from '../delivery/deliverable.js';
import type { EventStore } from '../store/event-store.js';
import { sharedIn } from '../store/store.js';
import type { BulkOptions } from './changes/bulk.js';
import { type DeadLetter, deadLetters, eventOf } from './changes/dead-letters.js';
import type { DeadLetterFilter, DiscardFilter } from './changes/delivery-filter.js';
import { type LetterChanges, lettersOf, type ReplayTo } from './changes/letter-changes.js';
import { type WaitingDelivery, type WaitingFilter, waitingDeliveries } from './changes/waiting-deliveries.js';
import type { Dependencies } from './destination-dependencies.js';
import type { DestinationEvents } from './destination-events.js';
import { type DestinationParts, openParts } from './destination-parts.js';
import type { EndpointReport } from './endpoints/endpoint-report.js';
import type { TestedWebhook } from './endpoints/endpoints.js';
import { type Explanation, explainAmong, openUntil } from './endpoints/explain-endpoint.js';
import { KnownWebhooks } from './endpoints/known-webhooks.js';
import { Arrivals, type Receipt } from './intake/arrivals.js';
import { canonicalEvent } from './intake/canonical-event.js';
import { prepareCanonical } from './intake/prepared-event.js';
import type { Counters, DestinationEventName } from './reports/reports.js';
import { type DestinationOptions, openOptions, resolveOptions } from './settings/destination-options.js';

/** How long `close()` waits for running requests. */
const CLOSE_TIMEOUT_MS = 10_000;

const CLOSE_RULES: Rules<{ timeout?: number | undefined }> = { timeout: timeLimit };

/**
 * Delivers events to other people's endpoints. Each event is stored first, signed, and retried for four hours; no endpoint delays
 * another.
 *
 * @example
 * const destination = await Destination.open({ webhooks: [{ url: 'https://example.com/hook' }], sharedSecret: 'shhh' });
 * destination.on('dead', ({ id, endpoints }) => console.error(id, endpoints));
 * await destination.deliver(message);
 * await destination.close();
 */
export class Destination {
  readonly #parts: DestinationParts;
  /** @internal */
  readonly arrivals: Arrivals;
  #closing: Promise<void> | undefined;

  private constructor(parts: DestinationParts) {
    checkOpened(parts, 'destination', 'Destination.open(options)');
    this.#parts = parts;
    this.arrivals = new Arrivals(parts);
  }

  /**
   * Checks the settings, opens the store if necessary, and resumes what the store holds from before.
   *
   * @throws OptionError at the first setting that is wrong, or when another destination of the store has the same `name`.
   * @throws LoadError where there is no WebAssembly, which undici needs.
   * @throws whatever keeps the store from being opened; nothing stays open or locked in that case.
   */
  static async open(options: DestinationOptions): Promise<Destination> {
    try {
      return await Destination.openIn(options, { clock: systemClock(), random: Math.random });
    } catch (error) {
      // Otherwise the folder of an lmdbStore would stay locked until the process ends.
      await sharedIn((options as DestinationOptions | undefined)?.store)?.closeUnused();
      throw error;
    }
  }

  /** @internal */
  static async openIn(given: DestinationOptions, dependencies: Dependencies): Promise<Destination> {
    return new Destination(await openParts(await openOptions(given), dependencies));
  }

  /**
   * Opens a destination on a store that no other destination uses. When the destination has closed, all its writes are safe.
   *
   * @param wasRemoved whether its name was missing from the configuration for a while
   * @internal
   */
  static async openOn(
    store: EventStore,
    given: DestinationOptions,
    dependencies: Dependencies,
    wasRemoved: boolean,
  ): Promise<Destination> {
    const options = Object.assign(resolveOptions(given), { store, releaseStore: () => store.flush() });
    return new Destination(await openParts(options, dependencies, wasRemoved));
  }

  /**
   * Accepts a message from a caller or a collector. Once this resolves with `accepted`, the message is stored as safely as the
   * store allows, and will be delivered or become a dead letter. The message may be changed as soon as the call returns.
   *
   * @throws ValidationError when no receiver would accept the message: a field is missing or wrong, it has more than 65,536
   * bytes, or it contains something that JSON cannot hold.
   * @throws DestinationClosedError after `close()`.
   * @throws whatever the store throws when it cannot store the event; the message was not accepted in that case.
   */
  deliver(message: Deliverable | ReceivedMessage): Promise<Receipt> {
    return this.arrivals.deliver(message);
  }

  /**
   * Calls `listener` for each such event, until the returned function is called.
   *
   * @throws OptionError for an unknown event name
   */
  on<N extends DestinationEventName>(name: N, listener: (report: DestinationEvents[N]) => unknown): () => void {
    return this.#parts.reports.on(name, listener);
  }

  /** Returns the counts since the destination was opened. */
  counters(): Counters {
    return structuredClone(this.#parts.reports.counters);
  }

  /** Reports the state of the endpoints, including those no longer configured while deliveries still wait for them. */
  endpoints(): EndpointReport[] {
    return this.#parts.endpoints.report();
  }

  /** Until when the circuit breaker of the webhook with this key is open, in ms since 1970; 0 if it is not. @internal */
  openUntil(key: string): number {
    return openUntil(this.#parts.endpoints.get(key)?.health);
  }

  /** The number of deliveries that have not ended, over all endpoints. @internal */
  get waiting(): number {
    return this.#parts.endpoints.waiting;
  }

  /**
   * While the destination is paused it starts no requests. Waiting deliveries stay and new messages are stored. The retry windows
   * keep running.
   *
   * @internal
   */
  setPaused(isPaused: boolean): void {
    this.#parts.endpoints.setPaused(isPaused);
  }

  /**
   * Explains where an event stands and why; undefined when it was delivered and forgotten, or never accepted.
   *
   * @throws OptionError, DestinationClosedError
   */
  async explain(id: string): Promise<Explanation | undefined> {
    this.arrivals.assertOpen();
    checkValues({ id }, { id: required(text) }, { door: 'destination' });
    const explained = eventOf(this.#parts.options.store, id).then(
      (event) => event && explainAmong(this.#parts, this.arrivals.known, event),
    );
    return this.arrivals.whileOpen(explained);
  }

  /**
   * Yields the dead letters that match the filter, in the order in which their events were accepted.
   *
   * @throws OptionError, DestinationClosedError
   */
  async *deadLetters(filter: DeadLetterFilter = {}): AsyncGenerator<DeadLetter, void, undefined> {
    yield* this.arrivals.eachWhileOpen(deadLetters(this.#parts.options.store, filter));
  }

  /**
   * Yields the waiting deliveries that match the filter: by webhook, and the earliest due first.
   *
   * @throws OptionError, DestinationClosedError
   */
  async *waitingDeliveries(filter: WaitingFilter = {}): AsyncGenerator<WaitingDelivery, void, undefined> {
    yield* this.arrivals.eachWhileOpen(waitingDeliveries(this.#parts.options.store, filter));
  }

  /**
   * Sends dead letters again immediately, each with a new retry window, to the current URL of their webhook. Letters of a webhook
   * that is no longer configured go to `sendTo` or, if only one webhook is configured, to that one. A letter is skipped if the
   * target webhook already has the event.
   *
   * @returns how many deliveries were restarted.
   * @throws OptionError when a time, the rate or the cursor is invalid, or `sendTo` does not identify a configured webhook.
   * @throws ReplayTargetError when letters were skipped because there are several webhooks and no `sendTo`. All others were
   * restarted.
   */
  async replay(filter: DeadLetterFilter, options: BulkOptions & ReplayTo = {}): Promise<number> {
    this.arrivals.assertOpen();
    return this.#letters.replay(this.arrivals.known, filter, options);
  }

  /**
   * Returns true if the text identifies a configured webhook: by its `id`, its URL, or its URL as it is shown.
   *
   * @internal
   */
  isWebhook(text: string): boolean {
    return this.arrivals.known.isConfigured(text);
  }

  /**
   * Deletes dead letters for good or, with `state: 'waiting'`, waiting deliveries. A request that is already running is not
   * stopped.
   *
   * @returns how many were deleted.
   * @throws OptionError when a time, the rate or the cursor is invalid.
   */
  async discard(filter: DiscardFilter, options: BulkOptions = {}): Promise<number> {
    this.arrivals.assertOpen();
    return this.#letters.discard(this.arrivals.known, filter, options);
  }

  /**
   * Hands deliveries over to another destination, and deletes each one here once the other has stored it. An event that the other
   * destination already has is not stored there twice.
   *
   * @returns how many were handed over.
   * @throws what `discard` throws, and what the other destination's store throws
   * @internal
   */
  async moveTo(other: Destination, filter: DiscardFilter, options: BulkOptions = {}): Promise<number> {
    this.arrivals.assertOpen();
    return this.#letters.discard(this.arrivals.known, filter, options, (event, body) =>
      other.arrivals.take(event, body),
    );
  }

  /**
   * Deletes the waiting deliveries and dead letters that were accepted before their users were deleted.
   *
   * @internal
   */
  async forget(users: readonly string[], signal: AbortSignal): Promise<number> {
    this.arrivals.assertOpen();
    return this.#letters.forget(this.arrivals.known, users, signal);
  }

  /** Resolves when every attempt that is running now has ended. @internal */
  attemptsBefore(): Promise<void> {
    return this.#parts.endpoints.erasure.attemptsBefore();
  }

  /** Posts a message once to each webhook, or only to the given one. Nothing is stored, counted or retried. @internal */
  async test(message: Deliverable, webhook?: string): Promise<TestedWebhook[]> {
    this.arrivals.assertOpen();
    return this.#parts.endpoints.test(prepareCanonical(canonicalEvent(message)), webhook);
  }

  /** Resolves when no delivery waits any more, or at `close()`. Keeps the process alive until then. */
  async idle(): Promise<void> {
    await this.#parts.endpoints.idle();
  }

  /**
   * Starts no more requests and waits for running ones. Messages accepted from now on wait in the store for the webhooks of
   * `next`. If this rejects, nothing has changed.
   *
   * @internal
   */
  async rest({ next, timeout }: { next: DestinationOptions; timeout: number }): Promise<void> {
    this.arrivals.known = await KnownWebhooks.recognize(this.#parts.options.store, resolveOptions(next).webhooks);
    this.#parts.endpoints.stop();
    await this.#parts.retention.stop();
    await this.#parts.endpoints.close(timeout);
  }

  /**
   * Accepts no more messages, waits for running requests, and closes the store unless other destinations have it open. Deliveries
   * that have not ended, and requests that are cut off at the deadline, resume when the destination is next opened. Calling it
   * again changes nothing.
   *
   * @param options.timeout how long to wait for running requests, in ms. @default 10_000
   */
  async close(options: { timeout?: number | undefined } = {}): Promise<void> {
    const check = { door: 'destination', example: 'close({ timeout: 1000 })' } as const;
    const { timeout = CLOSE_TIMEOUT_MS } = checkOptions(options, CLOSE_RULES, check);
    this.#closing ??= this.#close(timeout);
    return this.#closing;
  }

  /** This object is created for each change, because most destinations never have one. */
  get #letters(): LetterChanges {
    return lettersOf(this.#parts, this.arrivals);
  }

  async #close(timeoutMs: number): Promise<void> {
    this.arrivals.close();
    this.#parts.endpoints.stop();
    await this.#parts.retention.stop();
    await this.arrivals.stored();
    await this.#parts.endpoints.close(timeoutMs);
    this.#parts.reports.tellRest();
    await this.#parts.options.releaseStore();
  }
}
