import { checkListener } from '../base/options/check-options.js';
import { Emitter, type Listener } from '../base/structures/emitter.js';
import { printable } from '../base/text/printable.js';
import type { DeliverableType } from '../delivery/deliverable.js';
import type { Breaker, Failing } from '../delivery/health.js';
import { type ResultClass, RULES } from '../delivery/outcome.js';
import type { Attempt, DeathReason } from '../delivery/state.js';
import { VANISHED_CODE, VanishedOnce } from '../protocol/vanished.js';
import { type Entry, nextQueueKey } from '../store/event-log.js';
import type { EndpointName, KnownWebhooks, WebhookName } from './known-webhooks.js';

/** One attempt was made. */
export interface AttemptReport extends EndpointName {
  id: string;
  /** Undefined when another endpoint settled the event while the request ran. */
  type: DeliverableType | undefined;
  attempt: Attempt;
  /** 1, and one more for each repetition; undefined when another endpoint had settled the event. */
  number: number | undefined;
  /** When the next attempt is due, in ms since 1970; undefined when there will be none. */
  nextAttemptAt: number | undefined;
  /** The trace in which the event was accepted, as W3C's `traceparent`, if there was one. */
  trace?: string;
}

/** An event arrived: with the rule `any` once for the event, with `each` once for every endpoint. */
export interface DeliveredReport extends EndpointName {
  id: string;
  type: DeliverableType;
  /** From the moment it was accepted, in ms. */
  tookMs: number;
}

/** An event became a dead letter: with the rule `any` once for the event, with `each` once for every endpoint. */
export interface DeadReport {
  id: string;
  type: DeliverableType;
  endpoints: (WebhookName & { reason: DeathReason; attempts: readonly Attempt[] })[];
}

/** `open`: the endpoint failed so often in a row that it is left alone. `half-open`: it is tried with one delivery. */
export interface BreakerReport extends EndpointName {
  state: Breaker['phase'];
  /** In ms since 1970. */
  openUntil: number | undefined;
}

export interface FailingReport extends EndpointName {
  failed: number;
  /** The number of attempts that the rate is of. */
  attempts: number;
  /** The one that failed last. */
  last: Attempt;
}

/** Why a dead letter is not kept any longer. */
export type DropReason = 'age' | 'count' | 'bytes';

/** What a destination reports as it happens. */
export interface DestinationEvents {
  attempt: AttemptReport;
  delivered: DeliveredReport;
  dead: DeadReport;
  /** The circuit breaker of an endpoint has changed its state. */
  breaker: BreakerReport;
  /** Most of the last attempts at an endpoint failed, whatever the reason. */
  failing: FailingReport;
  /** An endpoint takes most of what it is sent again. */
  recovered: EndpointName;
  /** Dead letters were let go of, as `maxDeadLetters` says. */
  dropped: { reason: DropReason; events: number };
  /** The store could not be read or written, which is tried again. Without a listener, the process emits a warning. */
  error: { error: unknown };
}

export type DestinationEventName = keyof DestinationEvents;

const EVENTS = [
  'attempt',
  'delivered',
  'dead',
  'breaker',
  'failing',
  'recovered',
  'dropped',
  'error',
] satisfies DestinationEventName[];

/** How often what has happened since the destination was opened. */
export interface Counters {
  /** Events taken and stored. */
  accepted: number;
  /** Events not taken: not `enabled`, or not meant for this destination. */
  skipped: number;
  /** Events not taken because one of the same id waits, or is a dead letter. */
  duplicates: number;
  attempts: number;
  /** Attempts by the class of their result. */
  results: Record<ResultClass, number>;
  /** How many events were reported as `delivered`. */
  delivered: number;
  /** How many events were reported as `dead`. */
  dead: number;
  /** Events whose user was deleted while they waited: neither delivered nor dead. Counted as these are. */
  erased: number;
  /** Events that were discarded while they waited, by `discard({ state: 'waiting' })`. Counted as these are. */
  discarded: number;
  /** How many of the dead ones `maxBacklog` left no room for. */
  backlogFull: number;
  /** Dead deliveries that began anew. */
  replayed: number;
  /** Dead letters let go of, as `maxDeadLetters` says. */
  dropped: Record<DropReason, number>;
}

/** Counts, and calls the listeners. */
export class Reports {
  readonly counters: Counters = {
    accepted: 0,
    skipped: 0,
    duplicates: 0,
    attempts: 0,
    results: Object.fromEntries(Object.keys(RULES).map((result) => [result, 0])) as Record<ResultClass, number>,
    delivered: 0,
    dead: 0,
    erased: 0,
    discarded: 0,
    backlogFull: 0,
    replayed: 0,
    dropped: { age: 0, count: 0, bytes: 0 },
  };
  readonly #events = new Emitter<DestinationEvents>(warn);
  readonly #vanished = new VanishedOnce();

  on<N extends DestinationEventName>(name: N, listener: Listener<DestinationEvents[N]>): () => void {
    checkListener('destination', EVENTS, [name, listener]);
    return this.#events.on(name, listener);
  }

  /** What of a message vanishes as it is written becomes a warning, once. */
  taken(message: object, type: string, body: Uint8Array): void {
    const told = this.#vanished.tell(message, type, Buffer.from(body.buffer, body.byteOffset, body.length));
    if (told === undefined) return;
    const line = printable(`eventferry: ${told.text}; ${told.advice}`);
    process.emitWarning(line, { type: 'EventferryWarning', code: VANISHED_CODE });
  }

  /** An error without a listener becomes a warning, so that it does not pass unseen. */
  failed(error: unknown): void {
    if (!this.#events.has('error')) warn(error);
    else this.#events.emit('error', { error });
  }

  breakerTurned(name: EndpointName, breaker: Breaker): void {
    const openUntil = breaker.phase === 'open' ? breaker.until : undefined;
    this.#events.emit('breaker', { ...name, state: breaker.phase, openUntil });
  }

  failingTurned(name: EndpointName, failing: Failing | undefined): void {
    if (failing === undefined) this.#events.emit('recovered', { ...name });
    else this.#events.emit('failing', { ...name, ...failing });
  }

  dropped(reason: DropReason, events: number): void {
    this.counters.dropped[reason] += events;
    this.#events.emit('dropped', { reason, events });
  }

  attempted(id: string, key: string, name: EndpointName, attempt: Attempt, entry: Entry | undefined): void {
    this.counters.attempts++;
    this.counters.results[attempt.result]++;
    if (!this.#events.has('attempt')) return;
    const nextAttemptAt = entry && nextQueueKey(entry)?.at;
    const before = entry?.before.urls[key];
    const number = before && (before.phase === 'retrying' ? before.attempts + 1 : 1);
    const { type, trace } = entry?.before ?? {};
    const report = { id, type, ...name, attempt, number, nextAttemptAt };
    this.#events.emit('attempt', trace === undefined ? report : { ...report, trace });
  }

  ended({ before, url, state, ending }: Entry, known: KnownWebhooks): void {
    if (ending === undefined) return;
    this.counters[ending.as]++;
    const { id, type } = before;
    if (ending.as === 'dead') {
      const states = Object.entries({ ...before.urls, [url]: state });
      const endpoints = states.flatMap(([key, { history, ...rest }]) =>
        rest.phase === 'dead' && ending.urls.includes(key)
          ? [{ ...known.nameOf(key), reason: rest.reason, attempts: history }]
          : [],
      );
      if (endpoints.some(({ reason }) => reason === 'backlog-full')) this.counters.backlogFull++;
      this.#events.emit('dead', { id, type, endpoints });
    } else if (state.phase === 'delivered' && this.#events.has('delivered')) {
      this.#events.emit('delivered', { id, type, ...known.endpointOf(url), tookMs: state.at - before.acceptedAt });
    }
  }
}

const warn = (error: unknown): void => process.emitWarning(error instanceof Error ? error : String(error));
