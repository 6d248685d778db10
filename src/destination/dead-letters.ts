import { OptionError } from '../base/errors/errors.js';
import { checkOptions, type OptionCheck, type Rule, type Rules, text } from '../base/options/check-options.js';
import type { StoredEvent } from '../delivery/completion-rule.js';
import type { DeliverableType } from '../delivery/deliverable.js';
import { eventId, userKeys } from '../delivery/names.js';
import { type Attempt, type Dead, type DeathReason, isWaiting, type Waiting } from '../delivery/state.js';
import { EXPECTED_TIMESTAMP, type Timestamp, toIso } from '../protocol/timestamp.js';
import type { EventStore, QueueKey } from '../store/event-store.js';
import { eventKeyOf } from '../store/queue-key.js';
import { type EndpointName, KnownWebhooks } from './known-webhooks.js';

/** Which dead letters are meant: those for which everything given holds. */
export interface DeadLetterFilter {
  id?: string | undefined;
  /** The webhook's `id`, or its URL, whole or as the service's API shows it: with what is secret in it as `***`. */
  endpoint?: string | undefined;
  type?: DeliverableType | undefined;
  /** The user whose it is, or several of whom it is one: its `userId` or, without one, its `anonymousId`. */
  user?: string | readonly string[] | undefined;
  reason?: DeathReason | undefined;
  /** Accepted then or later. */
  from?: Timestamp | undefined;
  /** Accepted before then. */
  to?: Timestamp | undefined;
  /** Dead before then. */
  diedBefore?: Timestamp | undefined;
}

/** An event that one endpoint did not get and will not be sent again. */
export interface DeadLetter extends EndpointName {
  id: string;
  type: DeliverableType;
  /** In ms since 1970, as is `diedAt`. */
  acceptedAt: number;
  diedAt: number;
  reason: DeathReason;
  /** The latest attempts, oldest first. */
  attempts: readonly Attempt[];
}

const moment: Rule = { expected: EXPECTED_TIMESTAMP, holds: (value) => toIso(value) !== undefined };

const users: Rule = {
  expected: 'the id of a user, or a list of ids',
  holds: (value) => (Array.isArray(value) ? value : [value]).every((id) => typeof id === 'string' && id !== ''),
};

const STATES = ['dead', 'waiting'] as const;

/** Which deliveries are discarded. */
export interface DiscardFilter extends DeadLetterFilter {
  /** Dead letters, or what still waits; `reason` and `diedBefore` mean dead letters. @default 'dead' */
  state?: (typeof STATES)[number] | undefined;
}

const FILTER_RULES: Rules<DeadLetterFilter> = {
  id: text,
  endpoint: text,
  type: text,
  user: users,
  reason: text,
  from: moment,
  to: moment,
  diedBefore: moment,
};

const DISCARD_RULES: Rules<DiscardFilter> = {
  ...FILTER_RULES,
  state: { expected: 'one of dead, waiting', holds: (state) => STATES.some((known) => known === state) },
};

const CHECK: OptionCheck = { door: 'destination', example: "{ reason: 'window-over' }" };

/** @throws OptionError */
export function checkDiscard(filter: unknown): asserts filter is DiscardFilter {
  checkOptions(filter, DISCARD_RULES, CHECK);
  const { state, reason, diedBefore } = filter;
  if (state !== 'waiting' || (reason ?? diedBefore) === undefined) return;
  const name = reason === undefined ? 'diedBefore' : 'reason';
  throw new OptionError('destination', name, "left out with `state: 'waiting'`", 'a value', 'What waits has not died');
}

const PAGE = 256;

/** A filter whose times are read. */
export class MeantDeliveries {
  readonly id: string | undefined;
  readonly endpoint: string | undefined;
  /** In ms since 1970, as is `to`. */
  readonly from: number;
  readonly to: number;
  readonly known: KnownWebhooks;
  readonly #filter: DeadLetterFilter;
  readonly #diedBefore: number;
  readonly #users: ReadonlySet<string> | undefined;

  /** @throws OptionError */
  constructor(filter: DeadLetterFilter, known: KnownWebhooks) {
    checkOptions(filter, FILTER_RULES, CHECK);
    this.#filter = filter;
    this.known = known;
    this.id = filter.id;
    this.endpoint = filter.endpoint;
    this.from = momentOf(filter.from) ?? 0;
    this.to = momentOf(filter.to) ?? Number.POSITIVE_INFINITY;
    this.#users = filter.user === undefined ? undefined : new Set([filter.user].flat().flatMap(userKeys));
    this.#diedBefore = momentOf(filter.diedBefore) ?? Number.POSITIVE_INFINITY;
  }

  /** The partitions that may have what is meant, where only users are and the store goes by them. */
  partitionsOf(store: EventStore): ReadonlySet<number> | undefined {
    if (this.#users === undefined || store.partitionOf === undefined) return undefined;
    const partitions = new Set<number>();
    for (const user of this.#users) partitions.add(store.partitionOf({ id: '', user }));
    return partitions;
  }

  /** The dead deliveries of the event that are meant. */
  in(event: StoredEvent): [key: string, state: Dead][] {
    if (!event.isDead || !this.#meansEvent(event)) return [];
    return Object.entries(event.urls).flatMap(([key, state]): [string, Dead][] =>
      state.phase === 'dead' && this.#meansDead(key, state) ? [[key, state]] : [],
    );
  }

  /** The deliveries of the event that wait and are meant. */
  waitingIn(event: StoredEvent): [key: string, state: Waiting][] {
    if (!this.#meansEvent(event)) return [];
    return Object.entries(event.urls).flatMap(([key, state]): [string, Waiting][] =>
      isWaiting(state) && this.known.isMeant(key, this.endpoint) ? [[key, state]] : [],
    );
  }

  #meansEvent({ type, user, acceptedAt }: StoredEvent): boolean {
    if (this.#filter.type !== undefined && this.#filter.type !== type) return false;
    if (this.#users !== undefined && !this.#users.has(user ?? '')) return false;
    return acceptedAt >= this.from && acceptedAt < this.to;
  }

  #meansDead(key: string, { reason, at }: Dead): boolean {
    const { reason: wanted } = this.#filter;
    const isReason = wanted === undefined || wanted === reason;
    return this.known.isMeant(key, this.endpoint) && isReason && at < this.#diedBefore;
  }
}

/** The letters for which the filter holds, in the order in which they were accepted; read page by page. */
export async function* deadLetters(
  store: EventStore,
  filter: DeadLetterFilter,
): AsyncGenerator<DeadLetter, void, undefined> {
  const meant = new MeantDeliveries(filter, await KnownWebhooks.of(store));
  for await (const keys of letterKeys(store, meant, undefined, PAGE)) {
    for (const event of await Promise.all(keys.map(({ id, partition }) => store.event(id, partition)))) {
      if (event !== undefined) yield* lettersOf(event, meant);
    }
  }
}

/** Where such letters may be, a page at a time. */
export async function* letterKeys(
  store: EventStore,
  meant: MeantDeliveries,
  from: QueueKey | undefined,
  size: number,
): AsyncGenerator<readonly QueueKey[], void, undefined> {
  if (meant.id !== undefined) {
    const event = await eventOf(store, meant.id);
    if (event !== undefined) yield [{ at: event.acceptedAt, ...eventKeyOf(store, event) }];
    return;
  }
  const partitions = meant.partitionsOf(store);
  let after: QueueKey | undefined = from ?? { at: meant.from, id: '' };
  while (after !== undefined) {
    const page: QueueKey[] = await store.dead(after, size, partitions);
    const within = page.filter(({ at }) => at < meant.to);
    if (within.length > 0) yield within;
    after = within.length < size ? undefined : page.at(-1);
  }
}

/** The event of that id, which is one the store has, or a message's own. */
export async function eventOf(store: EventStore, id: string): Promise<StoredEvent | undefined> {
  const event = await store.event(id);
  const other = eventId(id, undefined);
  return event === undefined && other !== id ? store.event(other) : event;
}

function lettersOf(event: StoredEvent, meant: MeantDeliveries): DeadLetter[] {
  const { id, type, acceptedAt } = event;
  return meant.in(event).map(([key, { at: diedAt, reason, history: attempts }]) => ({
    id,
    type,
    ...meant.known.endpointOf(key),
    acceptedAt,
    diedAt,
    reason,
    attempts,
  }));
}

function momentOf(given: Timestamp | undefined): number | undefined {
  const iso = given === undefined ? undefined : toIso(given);
  return iso === undefined ? undefined : Date.parse(iso);
}
