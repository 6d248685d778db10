import { type Clock, systemClock } from '../../base/time/clock.js';
import { CLOSED } from '../../delivery/health.js';
import { EventLog } from '../../store/event-log.js';
import type { EventStore } from '../../store/event-store.js';
import type { BulkOptions } from '../changes/bulk.js';
import { type DeadLetter, deadLetters, eventOf } from '../changes/dead-letters.js';
import type { DeadLetterFilter, DiscardFilter } from '../changes/delivery-filter.js';
import { LetterChanges, type ReplayTo } from '../changes/letter-changes.js';
import { type WaitingDelivery, type WaitingFilter, waitingDeliveries } from '../changes/waiting-deliveries.js';
import { Erasure } from '../retention/erasure.js';
import { behindAt, type EndpointExplanation, type Explanation, explain } from './explain-endpoint.js';
import { KnownWebhooks } from './known-webhooks.js';

/** Where an event stands, as far as a store shows it without a destination and its settings. */
export interface StoredExplanation extends Omit<Explanation, 'settle' | 'endpoints'> {
  endpoints: Omit<EndpointExplanation, 'triedUntil' | 'failing'>[];
}

// A store does not contain these settings, and nothing below depends on them. Explanations leave them out. Replaying one letter
// leaves the other letters of the event as they are, which `each` requires and `any` allows for the time being.
const UNKNOWN_SETTINGS = { settle: 'each', windowMs: 0, isPaused: false } as const;

/**
 * Reads and changes a store that no destination in this process has open. It sends nothing: what it marks for delivery is sent
 * when a destination next opens the store.
 */
export class StoreInspector {
  readonly #store: EventStore;
  readonly #clock: Clock;
  readonly #isInUse: boolean;
  readonly #letters: LetterChanges;

  /** @param isInUse whether a process has the store open; in that case it is only read */
  constructor(store: EventStore, clock: Clock = systemClock(), isInUse = false) {
    this.#store = store;
    this.#clock = clock;
    this.#isInUse = isInUse;
    const eventLog = new EventLog({ store, ...UNKNOWN_SETTINGS, random: () => 0 });
    this.#letters = new LetterChanges({
      store,
      eventLog,
      clock,
      // Nobody counts as deleted here. The process that opens the store next knows who was deleted.
      erasure: new Erasure({ store, eventLog, onErased: () => {} }),
      run: (change) => change(),
      onBegun: () => {},
      onCancelled: () => {},
    });
  }

  /** Yields the waiting deliveries that match the filter: by webhook, and the earliest due first. */
  waiting(filter: WaitingFilter = {}): AsyncIterable<WaitingDelivery> {
    return waitingDeliveries(this.#store, filter);
  }

  /** Yields the dead letters that match the filter, in the order in which their events were accepted. */
  deadLetters(filter: DeadLetterFilter = {}): AsyncIterable<DeadLetter> {
    return deadLetters(this.#store, filter);
  }

  /** Explains where an event stands and why; undefined when the store does not have it. */
  async explain(id: string): Promise<StoredExplanation | undefined> {
    const event = await eventOf(this.#store, id);
    if (event === undefined) return undefined;
    const now = this.#clock.now();
    const endpoint = () => ({ isInFlight: false, breaker: CLOSED, isFailing: false });
    const known = await KnownWebhooks.of(this.#store);
    const {
      settle: _,
      endpoints,
      ...stored
    } = explain(event, {
      ...{ now, ...UNKNOWN_SETTINGS, known, endpoint },
      behind: await behindAt(this.#store, event),
    });
    return {
      ...stored,
      endpoints: endpoints.map(({ triedUntil: __, failing: ___, ...rest }) => {
        const isDue = rest.nextAttemptAt !== undefined && rest.nextAttemptAt <= now;
        const who = this.#isInUse ? 'from the process that has the store open' : 'when a destination opens the store';
        return isDue ? { ...rest, why: `it is due, and goes out ${who}` } : rest;
      }),
    };
  }

  /**
   * Marks dead letters for delivery again, each with a new retry window, at the current URL of their webhook. Letters of a
   * webhook that was not configured when a destination last opened the store go to `sendTo` or, if only one webhook was
   * configured then, to that one.
   *
   * @returns how many deliveries were restarted.
   * @throws ReplayTargetError when letters were skipped because several webhooks were configured.
   */
  async replay(filter: DeadLetterFilter, options: BulkOptions & ReplayTo = {}): Promise<number> {
    return this.#letters.replay(await KnownWebhooks.of(this.#store), filter, options);
  }

  /**
   * Deletes dead letters for good or, with `state: 'waiting'`, waiting deliveries.
   *
   * @returns how many deliveries were deleted.
   */
  async discard(filter: DiscardFilter, options: BulkOptions = {}): Promise<number> {
    return this.#letters.discard(await KnownWebhooks.of(this.#store), filter, options);
  }

  close(): Promise<void> {
    return this.#store.flush();
  }
}
