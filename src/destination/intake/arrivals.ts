import { newUuid } from '../../base/text/uuid.js';
import type { ReceivedMessage } from '../../collector/received-message.js';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { Deliverable } from '../../delivery/deliverable.js';
import type { DueItem } from '../../store/line.js';
import type { TakenIn } from '../../store/storage.js';
import { DestinationClosedError } from '../destination-errors.js';
import type { DestinationParts } from '../destination-parts.js';
import type { KnownWebhooks } from '../endpoints/known-webhooks.js';
import { type CanonicalEvent, canonicalEvent } from './canonical-event.js';
import { isWanted, type NewEvent, newEventsOf, type PreparedEvent, prepareCanonical } from './prepared-event.js';

/** The outcome of a call of `deliver`. */
export interface Receipt {
  /** The `messageId`. A delete notification gets a new id. */
  id: string;
  /**
   * `accepted`: stored, and will be delivered. `duplicate`: an event with this id already waits or is a dead letter. `skipped`:
   * the destination is not enabled, or the `integrations` of the message exclude it.
   */
  status: 'accepted' | 'duplicate' | 'skipped';
}

/** An event that was stored before, with its user. */
type StoredBefore = Pick<StoredEvent, 'id' | 'type' | 'source' | 'trace' | 'epoch'> & {
  readonly user?: string | undefined;
};

/** Accepts events: has them stored, and hands new ones to their endpoints. */
export class Arrivals {
  readonly #parts: DestinationParts;
  #known: KnownWebhooks;
  /** The keys of the configured webhooks, read once per change of configuration instead of once per event. */
  #keys: readonly string[];
  readonly #storing = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(parts: DestinationParts) {
    this.#parts = parts;
    this.#known = parts.known;
    this.#keys = parts.known.configuredKeys;
  }

  /** The webhooks that receive the events accepted from now on. */
  get known(): KnownWebhooks {
    return this.#known;
  }

  set known(known: KnownWebhooks) {
    this.#known = known;
    this.#keys = known.configuredKeys;
  }

  /** @throws ValidationError, DestinationClosedError, or what the store throws; the message was not accepted in that case */
  async deliver(message: Deliverable | ReceivedMessage): Promise<Receipt> {
    this.assertOpen();
    const { reports } = this.#parts;
    const event = canonicalEvent(message);
    if (!this.#isWanted(event)) {
      reports.counters.skipped++;
      return { id: event.messageId ?? newUuid(), status: 'skipped' };
    }
    const prepared = prepareCanonical(event);
    reports.taken(message, event.type, prepared.body);
    const isNew = await this.whileOpen(this.#take(prepared));
    return { id: prepared.id, status: isNew ? 'accepted' : 'duplicate' };
  }

  /** Returns false if the event is already stored. */
  async #take(prepared: PreparedEvent): Promise<boolean> {
    const epoch = await this.epoch();
    const newEvents = this.#newEvents([prepared], this.#parts.clock.now(), epoch);
    return (await this.accept(newEvents, this.#store(newEvents), 0)) === 1;
  }

  /**
   * Creates the records that the store is to keep, in the order of the events, without checking whether the destination wants
   * them. The caller calls `accept` in the same turn of the event loop.
   *
   * @param epoch the count of deletions, read after the events came in
   * @throws DestinationClosedError
   */
  newEvents(preparedEvents: readonly PreparedEvent[], now: number, epoch: number): NewEvent[] {
    this.assertOpen();
    return this.#newEvents(preparedEvents, now, epoch);
  }

  #newEvents(preparedEvents: readonly PreparedEvent[], now: number, epoch: number): NewEvent[] {
    const { store, isOrdered } = this.#parts.options;
    return newEventsOf(preparedEvents, this.#keys, now, { store, isOrdered, epoch });
  }

  /**
   * Delivers the events once they are stored, and keeps the store open until then. `storing` resolves with the outcome of each
   * event, in their order; this destination's outcome is at index `place`. Resolves with the number of new events.
   */
  accept(newEvents: readonly NewEvent[], storing: Promise<readonly TakenIn[]>, place: number): Promise<number> {
    this.#parts.eventLog.adding(newEvents, storing);
    return this.whileOpen(storing.then((taken) => this.#handOver(newEvents, taken, place)));
  }

  /** Delivers an event that was stored elsewhere or before, under its id. Returns false if it is already stored here. */
  async take({ id, type, source, trace, user, epoch = 0 }: StoredBefore, body: Uint8Array): Promise<boolean> {
    const { clock, options } = this.#parts;
    const origin = { ...(source !== undefined && { source }), ...(trace !== undefined && { trace }) };
    const newEvents = this.newEvents([{ id, type, body, origin, user }], clock.now(), epoch).map((each) => {
      const event = { ...each.event, id };
      return { ...each, event, partition: options.store.partitionOf(event) };
    });
    return (await this.accept(newEvents, this.#store(newEvents), 0)) === 1;
  }

  /** Returns the number of user deletions so far. */
  epoch(): number | Promise<number> {
    return this.#parts.deletedUsers?.epoch() ?? 0;
  }

  /** @throws DestinationClosedError */
  assertOpen(): void {
    if (this.#isClosed) throw new DestinationClosedError();
  }

  /** Keeps the store open until this work has ended. */
  async whileOpen<T>(work: Promise<T>): Promise<T> {
    this.#storing.add(work);
    try {
      return await work;
    } finally {
      this.#storing.delete(work);
    }
  }

  /** Yields what a reader of the store finds. @throws DestinationClosedError before and while it reads, once this is closed */
  async *eachWhileOpen<T>(items: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
    this.assertOpen();
    try {
      yield* items;
    } catch (error) {
      // The store may have been closed in the meantime.
      this.assertOpen();
      throw error;
    }
  }

  /** Accepts no more events. */
  close(): void {
    this.#isClosed = true;
  }

  /** Resolves once no event is being stored. */
  async stored(): Promise<void> {
    await Promise.allSettled(this.#storing);
  }

  #isWanted({ type, integrations }: CanonicalEvent): boolean {
    return this.#parts.options.enabled && (type === 'delete' || isWanted(integrations));
  }

  #store(newEvents: readonly NewEvent[]): Promise<readonly TakenIn[]> {
    const { store } = this.#parts.options;
    return Promise.all(
      newEvents.map(async ({ event, body }) => [(await store.add(event, body)) ? event.id : undefined]),
    );
  }

  /** Returns the number of new events. */
  #handOver(newEvents: readonly NewEvent[], taken: readonly TakenIn[], place: number): number {
    const { reports, endpoints } = this.#parts;
    const fresh: { readonly item: DueItem; readonly isOrdered: boolean }[] = [];
    for (const [index, { event, at, body, partition }] of newEvents.entries()) {
      const ids = taken[index];
      // Nothing was stored of a message that its source had sent before.
      if (ids === undefined || typeof ids === 'string') continue;
      const id = ids[place];
      const { source, epoch, isOrdered = false } = event;
      if (id === undefined) reports.counters.duplicates++;
      else fresh.push({ item: { at, id, body, partition, source, epoch }, isOrdered });
    }
    reports.counters.accepted += fresh.length;
    for (const key of this.#keys) {
      const endpoint = endpoints.get(key);
      for (const { item, isOrdered } of fresh) endpoint?.accept(item, isOrdered);
    }
    return fresh.length;
  }
}
