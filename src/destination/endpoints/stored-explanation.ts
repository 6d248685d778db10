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

/** Says where an event stands in a store, as far as that is known without a destination and its settings. */
export interface StoredExplanation extends Omit<Explanation, 'settle' | 'endpoints'> {
  endpoints: Omit<EndpointExplanation, 'triedUntil' | 'failing'>[];
}

// Neither setting is in the store, and nothing below depends on them. Explanations leave them out, and a letter beside a
// replayed one stays a letter with `each`, which is right for the time being with `any` too.
const UNKNOWN_SETTINGS = { settle: 'each', windowMs: 0, isPaused: false } as const;

/**
 * Reads a store that no destination in this process has open, and marks in it. It sends nothing: what it marks goes out
 * when a destination next opens the store.
 */
export class StoreInspector {
  readonly #store: EventStore;
  readonly #clock: Clock;
  readonly #isInUse: boolean;
  readonly #letters: LetterChanges;

  /** @param isInUse whether a process has the store open; then it is only read. */
  constructor(store: EventStore, clock: Clock = systemClock(), isInUse = false) {
    this.#store = store;
    this.#clock = clock;
    this.#isInUse = isInUse;
    const eventLog = new EventLog({ store, ...UNKNOWN_SETTINGS, random: () => 0 });
    this.#letters = new LetterChanges({
      store,
      eventLog,
      clock,
      // The process that opens the store next knows who was deleted.
      erasure: new Erasure({ store, eventLog, onErased: () => {} }),
      run: (change) => change(),
      onBegun: () => {},
      onCancelled: () => {},
    });
  }

  /** The deliveries that wait and for which the filter holds: by webhook, the earliest due first. */
  waiting(filter: WaitingFilter = {}): AsyncIterable<WaitingDelivery> {
    return waitingDeliveries(this.#store, filter);
  }

  /** The dead letters for which the filter holds, those accepted first first. */
  deadLetters(filter: DeadLetterFilter = {}): AsyncIterable<DeadLetter> {
    return deadLetters(this.#store, filter);
  }

  /** Says where an event stands and why; undefined when the store does not have it. */
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
   * Lets dead letters begin anew, each with a window of its own, where their webhook points. Those of a webhook that was
   * configured no more when a destination last opened the store go to the only one there was then, or to `sendTo`.
   *
   * @returns how many deliveries that were.
   * @throws ReplayTargetError when letters stay, as there were several.
   */
  async replay(filter: DeadLetterFilter, options: BulkOptions & ReplayTo = {}): Promise<number> {
    return this.#letters.replay(await KnownWebhooks.of(this.#store), filter, options);
  }

  /**
   * Lets go of dead letters for good or, with `state: 'waiting'`, of deliveries that wait.
   *
   * @returns how many deliveries that were.
   */
  async discard(filter: DiscardFilter, options: BulkOptions = {}): Promise<number> {
    return this.#letters.discard(await KnownWebhooks.of(this.#store), filter, options);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
