import { assertUndiciRuns } from '../base/http/connections.js';
import {
  checkOpened,
  checkOptions,
  checkValues,
  type Rules,
  required,
  text,
  timeLimit,
} from '../base/options/check-options.js';
import { withCleanup } from '../base/structures/cleanup.js';
import { systemClock } from '../base/time/clock.js';
import type { ReceivedMessage } from '../collector/received-message.js';
import type { Deliverable } from '../delivery/deliverable.js';
import type { EventStore } from '../store/event-store.js';
import { sharedIn } from '../store/store.js';
import { Arrivals, type Receipt } from './arrivals.js';
import type { BulkOptions } from './bulk.js';
import { canonicalEvent } from './canonical-event.js';
import { type DeadLetter, deadLetters, eventOf } from './dead-letters.js';
import type { DeadLetterFilter, DiscardFilter } from './delivery-filter.js';
import type { Dependencies } from './destination-dependencies.js';
import type { DestinationEvents } from './destination-events.js';
import { type DestinationOptions, openOptions, type ResolvedOptions, resolveOptions } from './destination-options.js';
import { openParts, type Parts, recognize } from './destination-parts.js';
import type { EndpointReport } from './endpoint-report.js';
import { type Explanation, explainAmong } from './explain-endpoint.js';
import { type LetterChanges, lettersOf, type ReplayTo } from './letter-changes.js';
import { prepareCanonical } from './prepared-event.js';
import type { Counters, DestinationEventName } from './reports.js';
import type { TestedWebhook } from './test-webhook.js';
import { type WaitingDelivery, type WaitingFilter, waitingDeliveries } from './waiting-deliveries.js';

/** `close()` lets requests end for so long. */
const CLOSE_TIMEOUT_MS = 10_000;

const CLOSE_RULES: Rules<{ timeout?: number | undefined }> = { timeout: timeLimit };

/**
 * Delivers events to other people's endpoints: stored first, signed, isolated from each other, tried again for four hours.
 *
 * @example
 * const destination = await Destination.open({ webhooks: [{ url: 'https://example.com/hook' }], sharedSecret: 'shhh' });
 * destination.on('dead', ({ id, endpoints }) => console.error(id, endpoints));
 * await destination.deliver(message);
 * await destination.close();
 */
export class Destination {
  readonly #parts: Parts;
  /** @internal */
  readonly arrivals: Arrivals;
  #closing: Promise<void> | undefined;

  private constructor(parts: Parts) {
    checkOpened(parts, 'destination', 'Destination.open(options)');
    this.#parts = parts;
    this.arrivals = new Arrivals(parts);
  }

  /**
   * Checks the settings, opens what there is to open, and goes on with what the store has from before.
   *
   * @throws OptionError at the first setting that is wrong, or when another destination of the store has the same `name`.
   * @throws LoadError where there is no WebAssembly, which undici needs.
   * @throws whatever keeps the store from being opened; nothing stays open or locked then.
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
    return Destination.#openWith(await openOptions(given), dependencies);
  }

  /**
   * Opens it on a store of its own, which it closes.
   *
   * @param wasRemoved whether its name was configured no more for a while
   * @internal
   */
  static async openOn(
    store: EventStore,
    given: DestinationOptions,
    dependencies: Dependencies,
    wasRemoved: boolean,
  ): Promise<Destination> {
    const options = Object.assign(resolveOptions(given), { store, releaseStore: () => store.close() });
    return Destination.#openWith(options, dependencies, wasRemoved);
  }

  static async #openWith(
    options: ResolvedOptions,
    dependencies: Dependencies,
    wasRemoved = false,
  ): Promise<Destination> {
    return withCleanup(async (cleanup) => {
      cleanup.defer(() => options.releaseStore());
      assertUndiciRuns();
      return new Destination(await openParts(options, dependencies, wasRemoved));
    });
  }

  /**
   * Takes a message, as a caller or a collector has it. Once this resolves with `accepted`, the message is stored as safely as the store stores, and will be
   * delivered or become a dead letter. The message may be changed as soon as the call returns.
   *
   * @throws ValidationError when the message is nothing that a receiver would take: a field that is missing or wrong, more than
   * 65,536 bytes, or something JSON cannot hold.
   * @throws DestinationClosedError after `close()`.
   * @throws whatever the store throws when it cannot take the event; the message was not taken then.
   */
  deliver(message: Deliverable | ReceivedMessage): Promise<Receipt> {
    return this.arrivals.deliver(message);
  }

  /**
   * Calls `listener` at each such event, until the function it returns is called.
   *
   * @throws OptionError for an event that there is none of
   */
  on<N extends DestinationEventName>(name: N, listener: (report: DestinationEvents[N]) => unknown): () => void {
    return this.#parts.reports.on(name, listener);
  }

  /** Returns what has been counted since the destination was opened. */
  counters(): Counters {
    const { counters } = this.#parts.reports;
    return { ...counters, results: { ...counters.results }, dropped: { ...counters.dropped } };
  }

  /** Reports on the endpoints as they are now, also on those that are configured no more while something waits for them. */
  endpoints(): EndpointReport[] {
    return this.#parts.endpoints.report();
  }

  /** Counts the deliveries without an end, at all endpoints. @internal */
  get waiting(): number {
    return this.#parts.endpoints.waiting;
  }

  /**
   * While it is paused it begins no request: what waits stays, and so does what it accepts. Windows keep running by the clock.
   *
   * @internal
   */
  setPaused(isPaused: boolean): void {
    this.#parts.endpoints.setPaused(isPaused);
  }

  /** Says where an event stands and why; undefined when it was delivered and forgotten, or never accepted. @throws OptionError, DestinationClosedError */
  async explain(id: string): Promise<Explanation | undefined> {
    this.arrivals.assertOpen();
    checkValues({ id }, { id: required(text) }, { door: 'destination' });
    const explained = eventOf(this.#parts.options.store, id).then(
      (event) => event && explainAmong(this.#parts, this.arrivals.known, event),
    );
    return this.arrivals.whileOpen(explained);
  }

  /** Reads the dead letters for which the filter holds, in the order in which they were accepted. @throws OptionError, DestinationClosedError */
  async *deadLetters(filter: DeadLetterFilter = {}): AsyncGenerator<DeadLetter, void, undefined> {
    this.arrivals.assertOpen();
    try {
      yield* deadLetters(this.#parts.options.store, filter);
    } catch (error) {
      // The store may have been closed meanwhile.
      this.arrivals.assertOpen();
      throw error;
    }
  }

  /** Reads the waiting deliveries for which the filter holds: by webhook, the earliest due first. @throws OptionError, DestinationClosedError */
  async *waitingDeliveries(filter: WaitingFilter = {}): AsyncGenerator<WaitingDelivery, void, undefined> {
    this.arrivals.assertOpen();
    try {
      yield* waitingDeliveries(this.#parts.options.store, filter);
    } catch (error) {
      this.arrivals.assertOpen();
      throw error;
    }
  }

  /**
   * Sends dead letters again, at once and with a window of their own, where their webhook points now. Those of a webhook that
   * is configured no more go to the only one there is, or to `sendTo`; a webhook that has the event already is not sent it
   * again, and such letters stay.
   *
   * @returns how many deliveries began anew.
   * @throws OptionError when a time, the rate or the cursor is none, or `sendTo` means no webhook that is configured.
   * @throws ReplayTargetError when letters stay, as there are several webhooks and no `sendTo`. All others began anew.
   */
  async replay(filter: DeadLetterFilter, options: BulkOptions & ReplayTo = {}): Promise<number> {
    this.arrivals.assertOpen();
    return this.#letters.replay(this.arrivals.known, filter, options);
  }

  /**
   * Tells whether the text means one of the webhooks that are configured: by its `id`, its URL, or its URL as it is shown.
   *
   * @internal
   */
  isWebhook(text: string): boolean {
    return this.arrivals.known.isConfigured(text);
  }

  /**
   * Lets go of dead letters for good or, with `state: 'waiting'`, of deliveries that wait. A request that runs already is not stopped.
   *
   * @returns how many there were.
   * @throws OptionError when a time, the rate or the cursor is none.
   */
  async discard(filter: DiscardFilter, options: BulkOptions = {}): Promise<number> {
    this.arrivals.assertOpen();
    return this.#letters.discard(this.arrivals.known, filter, options);
  }

  /**
   * Hands deliveries over to another destination, and lets go of each once that has it. What the other has already stays there once.
   *
   * @returns how many there were.
   * @throws what `discard` throws, and what the other's store throws
   * @internal
   */
  async moveTo(other: Destination, filter: DiscardFilter, options: BulkOptions = {}): Promise<number> {
    this.arrivals.assertOpen();
    return this.#letters.discard(this.arrivals.known, filter, options, (event, body) =>
      other.arrivals.take(event, body),
    );
  }

  /**
   * Lets go of what waits, and of the dead letters, that were accepted before their users were deleted.
   *
   * @internal
   */
  async forget(users: readonly string[], signal: AbortSignal): Promise<number> {
    this.arrivals.assertOpen();
    return this.#letters.forget(this.arrivals.known, users, signal);
  }

  /** Resolves when every attempt that has begun by now has ended. @internal */
  attemptsBefore(): Promise<void> {
    return this.#parts.endpoints.erasure.attemptsBefore();
  }

  /** Posts a message once to each webhook, or to the one meant. Nothing is stored, counted or tried again. @internal */
  async test(message: Deliverable, webhook?: string): Promise<TestedWebhook[]> {
    this.arrivals.assertOpen();
    return this.#parts.endpoints.test(prepareCanonical(canonicalEvent(message)), webhook);
  }

  /** Resolves when nothing waits any more, or at `close()`. Keeps the process alive until then. */
  async idle(): Promise<void> {
    await this.#parts.endpoints.idle();
  }

  /**
   * Begins no more requests and lets running ones end. Messages that it still takes wait in the store, for the webhooks with
   * which it is opened next. Nothing has changed when this rejects.
   *
   * @internal
   */
  async rest({ next, timeout }: { next: DestinationOptions; timeout: number }): Promise<void> {
    const { store } = this.#parts.options;
    this.arrivals.known = await recognize({ ...resolveOptions(next), store }, { backlog: [] });
    this.#parts.endpoints.stop();
    await this.#parts.retention.stop();
    await this.#parts.endpoints.close(timeout);
  }

  /**
   * Takes no more, lets running requests end, and closes the store unless other destinations have it open. It keeps the rest for the next time. A
   * request that is cut off at the deadline is made again then. Calling it again changes nothing.
   *
   * @param options.timeout how long requests may take to end, in ms. @default 10_000
   */
  async close(options: { timeout?: number | undefined } = {}): Promise<void> {
    const check = { door: 'destination', example: 'close({ timeout: 1000 })' } as const;
    const { timeout = CLOSE_TIMEOUT_MS } = checkOptions(options, CLOSE_RULES, check);
    this.#closing ??= this.#close(timeout);
    return this.#closing;
  }

  /** Made for each change, because most destinations never see one. */
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
