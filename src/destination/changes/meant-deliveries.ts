import { checkOptions } from '../../base/options/check-options.js';
import { endedAs } from '../../delivery/attempt-outcome.js';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import { userKeys } from '../../delivery/event-names.js';
import { type Dead, isWaiting, type Waiting } from '../../delivery/state.js';
import { isEventType } from '../../protocol/field-table.js';
import { isRecord } from '../../protocol/plain.js';
import { type Timestamp, toIso } from '../../protocol/timestamp.js';
import type { DeadTotals, EventKey, EventStore } from '../../store/event-store.js';
import type { KnownWebhooks } from '../endpoints/known-webhooks.js';
import { type DeadLetterFilter, FILTER_CHECK, FILTER_RULES } from './delivery-filter.js';

/** Decides which deliveries match a filter. */
export class MeantDeliveries {
  readonly id: string | undefined;
  /** Milliseconds since 1970, like all times here. */
  readonly from: number;
  readonly to: number;
  readonly known: KnownWebhooks;
  readonly #filter: DeadLetterFilter;
  readonly #type: string | undefined;
  /** The name of a track event. Only the body of the event has it. */
  readonly #event: string | undefined;
  readonly #attemptedFrom: number;
  readonly #attemptedTo: number;
  readonly #diedBefore: number;
  readonly #users: ReadonlySet<string> | undefined;

  /** @throws OptionError */
  constructor(given: DeadLetterFilter, known: KnownWebhooks) {
    const filter = checkOptions(given, FILTER_RULES, FILTER_CHECK);
    const { id, event, type, user } = filter;
    this.#filter = filter;
    this.known = known;
    this.id = id;
    this.#type = type ?? (isEventType(event) ? event : undefined);
    this.#event = isEventType(event) ? undefined : event;
    this.from = momentOf(filter.from) ?? 0;
    this.to = momentOf(filter.to) ?? Number.POSITIVE_INFINITY;
    this.#attemptedFrom = momentOf(filter.attemptedFrom) ?? 0;
    this.#attemptedTo = momentOf(filter.attemptedTo) ?? Number.POSITIVE_INFINITY;
    this.#users = user === undefined ? undefined : new Set([user].flat().flatMap(userKeys));
    this.#diedBefore = momentOf(filter.diedBefore) ?? Number.POSITIVE_INFINITY;
  }

  /** The partitions that may hold matches; undefined if the filter has no users or the store is not partitioned by user. */
  partitionsOf(store: EventStore): ReadonlySet<number> | undefined {
    if (this.#users === undefined) return undefined;
    const partitions = new Set<number>();
    for (const user of this.#users) {
      const partition = store.partitionOf({ id: '', user });
      if (partition === undefined) return undefined;
      partitions.add(partition);
    }
    return partitions;
  }

  /** Reads the events at these keys. The result is undefined for an event that no longer exists or has another name. */
  read(store: EventStore, keys: readonly EventKey[]): Promise<(StoredEvent | undefined)[]> {
    return Promise.all(
      keys.map(async (key) => {
        const event = await store.event(key.id, key.partition);
        return event !== undefined && (await this.isNamed(store, key)) ? event : undefined;
      }),
    );
  }

  /** Returns true if the event at this key has the name in the filter, or if the filter has no name. */
  async isNamed(store: Pick<EventStore, 'body'>, { id, partition }: EventKey): Promise<boolean> {
    if (this.#event === undefined) return true;
    const body = await store.body(id, partition);
    const message: unknown = body === undefined ? undefined : JSON.parse(Buffer.from(body).toString());
    return isRecord(message) && message['event'] === this.#event;
  }

  /** Returns true if the webhook matches the filter. */
  isAt(key: string): boolean {
    const { endpoint, endpointPart } = this.#filter;
    return this.known.isMeant(key, endpoint) && (endpointPart === undefined || this.known.isFound(key, endpointPart));
  }

  /** Returns the dead deliveries of the event that match. */
  in(event: StoredEvent): [key: string, state: Dead][] {
    if (!event.isDead || !this.#meansEvent(event)) return [];
    return Object.entries(event.urls).flatMap(([key, state]): [string, Dead][] =>
      state.phase === 'dead' && this.#meansDead(key, state) ? [[key, state]] : [],
    );
  }

  /** Returns the waiting deliveries of the event that match. */
  waitingIn(event: StoredEvent): [key: string, state: Waiting][] {
    if (!this.#meansEvent(event)) return [];
    return Object.entries(event.urls).flatMap(([key, state]): [string, Waiting][] =>
      isWaiting(state) && this.isAt(key) && this.#meansAttempt(state, undefined) ? [[key, state]] : [],
    );
  }

  /** Counts the matching dead deliveries from the store's counts; undefined if these are not detailed enough. */
  countIn(counted: DeadTotals['deliveries']): number | undefined {
    const { id, user, status, from, to, attemptedFrom, attemptedTo, diedBefore, reason } = this.#filter;
    const asked = [id, user, status, from, to, attemptedFrom, attemptedTo, diedBefore, this.#event];
    if (asked.some((each) => each !== undefined)) return undefined;
    return counted
      .filter((dead) => this.#type === undefined || this.#type === dead.type)
      .filter((dead) => reason === undefined || reason === dead.reason)
      .filter(({ url }) => this.isAt(url))
      .reduce((sum, dead) => sum + dead.count, 0);
  }

  #meansEvent({ type, user, acceptedAt }: StoredEvent): boolean {
    if (this.#type !== undefined && this.#type !== type) return false;
    if (this.#users !== undefined && !this.#users.has(user ?? '')) return false;
    return acceptedAt >= this.from && acceptedAt < this.to;
  }

  #meansDead(key: string, state: Dead): boolean {
    const { reason } = this.#filter;
    const isReason = reason === undefined || reason === state.reason;
    return isReason && state.at < this.#diedBefore && this.isAt(key) && this.#meansAttempt(state, state.at);
  }

  /** @param otherwise the time at which the delivery ended, for a delivery without an attempt */
  #meansAttempt({ history }: Dead | Waiting, otherwise: number | undefined): boolean {
    const last = history.at(-1);
    const { status, attemptedFrom, attemptedTo } = this.#filter;
    if (status !== undefined && (last === undefined || !endedAs(last, status))) return false;
    if (attemptedFrom === undefined && attemptedTo === undefined) return true;
    const at = last?.at ?? otherwise;
    return at !== undefined && at >= this.#attemptedFrom && at < this.#attemptedTo;
  }
}

function momentOf(given: Timestamp | undefined): number | undefined {
  const iso = given === undefined ? undefined : toIso(given);
  return iso === undefined ? undefined : Date.parse(iso);
}
