import { checkListener } from '../../base/options/check-options.js';
import { Emitter, type Listener } from '../../base/structures/emitter.js';
import { printable } from '../../base/text/printable.js';
import type { Clock } from '../../base/time/clock.js';
import { Repeats, textOfFailures } from '../../base/time/repeats.js';
import { type ResultClass, RULES } from '../../delivery/attempt-outcome.js';
import type { Breaker, Failing } from '../../delivery/health.js';
import { mayLack } from '../../protocol/plain.js';
import { VANISHED_CODE, VanishedOnce } from '../../protocol/vanished.js';
import { type EventChange, nextQueueKey } from '../../store/event-log.js';
import type { DestinationEvents, DropReason } from '../destination-events.js';
import type { EndpointName, KnownWebhooks } from '../endpoints/known-webhooks.js';
import type { Attempted, EventListeners, Recorder } from './recorder.js';

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

/** Counts of what happened since the destination was opened. */
export interface Counters {
  /** Events that were accepted and stored. */
  accepted: number;
  /** Events that were not accepted because the destination is not `enabled` or the event is not meant for it. */
  skipped: number;
  /** Events that were not accepted because an event with the same id waits or is a dead letter. */
  duplicates: number;
  attempts: number;
  /** Attempts by the class of their result. */
  results: Record<ResultClass, number>;
  /** Events that were reported as `delivered`. With `each`, an event counts once per endpoint. */
  delivered: number;
  /** Events that were reported as `dead`. With `each`, an event counts once per endpoint. */
  dead: number;
  /** Events whose user was deleted while they waited: neither delivered nor dead. Counted like `delivered` and `dead`. */
  erased: number;
  /** Events that were discarded while they waited, by `discard({ state: 'waiting' })`. Counted like `delivered` and `dead`. */
  discarded: number;
  /** The part of the dead events that exceeded `maxBacklog`. */
  backlogFull: number;
  /** Dead deliveries that were restarted. */
  replayed: number;
  /** Dead letters that were deleted because of `maxDeadLetters`. */
  dropped: Record<DropReason, number>;
}

const noCounts = (): Counters => ({
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
});

/** Counts events, and tells the listeners and the recorders. */
export class Reports {
  readonly counters: Counters;
  /** Told of dead letters before the listeners are. */
  retention: { noticeDead(): void } | undefined;
  readonly #clock: Clock;
  readonly #name: string;
  readonly #recorders: readonly Recorder[];
  /** The events for which a recorder has a listener. */
  readonly #recorded: ReadonlySet<DestinationEventName>;
  #events: Emitter<DestinationEvents> | undefined;
  #repeats: Repeats | undefined;
  readonly #vanished = new VanishedOnce();
  #taken = 0;

  constructor(clock: Clock, name = '', recorders: readonly Recorder[] = [], counters = noCounts()) {
    this.#clock = clock;
    this.counters = counters;
    this.#name = name;
    this.#recorders = recorders;
    this.#recorded = new Set(EVENTS.filter((event) => recorders.some((recorder) => recorder[event] !== undefined)));
  }

  on<N extends DestinationEventName>(name: N, listener: Listener<DestinationEvents[N]>): () => void {
    checkListener('destination', EVENTS, [name, listener]);
    this.#events ??= new Emitter(this.#listenerFailed);
    return this.#events.on(name, listener);
  }

  /** Warns once about values in a message that get lost when it is written as JSON. */
  taken(message: object, type: string, body: Uint8Array): void {
    if (!mayLack(Buffer.from(body.buffer, body.byteOffset, body.length), this.#taken++)) return;
    const told = this.#vanished.tell(message, type);
    if (told === undefined) return;
    const line = printable(`eventferry: ${told.text}; ${told.advice}`);
    process.emitWarning(line, { type: 'EventferryWarning', code: VANISHED_CODE });
  }

  /** An error without a listener becomes a warning, so that it is not lost. */
  failed(error: unknown): void {
    this.#tell('error', { error }, this.#recorded.has('error') ? undefined : () => warn(error));
  }

  breakerTurned(name: EndpointName, breaker: Breaker): void {
    const openUntil = breaker.phase === 'open' ? breaker.until : undefined;
    this.#tell('breaker', { ...name, state: breaker.phase, openUntil });
  }

  failingTurned(name: EndpointName, failing: Failing | undefined): void {
    if (failing === undefined) this.#tell('recovered', { ...name });
    else this.#tell('failing', { ...name, ...failing });
  }

  dropped(reason: DropReason, events: number): void {
    this.counters.dropped[reason] += events;
    this.#tell('dropped', { reason, events });
  }

  /** Returns true if any recorder wants to know what is sent and received. */
  wantsExchange(): boolean {
    return this.#recorders.some((recorder) => recorder.wantsExchange?.(this.#name));
  }

  attempted(attempted: Omit<Attempted, 'destination'>): void {
    const { id, key, name, attempt, entry } = attempted;
    const told = { destination: this.#name, ...attempted };
    const isFailure = attempt.result !== 'success';
    for (const recorder of this.#recorders) {
      recorder.record?.(told);
      if (isFailure) recorder.recordFailure?.(told);
    }
    this.counters.attempts++;
    this.counters.results[attempt.result]++;
    if (!this.#isHeard('attempt')) return;
    const nextAttemptAt = entry && nextQueueKey(entry)?.at;
    const before = entry?.before.urls[key];
    const number = before && (before.phase === 'retrying' ? before.attempts + 1 : 1);
    const { type, trace } = entry?.before ?? {};
    const report = { id, type, ...name, attempt, number, nextAttemptAt };
    this.#tell('attempt', trace === undefined ? report : { ...report, trace });
  }

  ended({ before, url, state, ending }: EventChange, known: KnownWebhooks): void {
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
      this.retention?.noticeDead();
      this.#tell('dead', { id, type, endpoints });
    } else if (state.phase === 'delivered' && this.#isHeard('delivered')) {
      this.#tell('delivered', { id, type, ...known.endpointOf(url), tookMs: state.at - before.acceptedAt });
    }
  }

  /** Returns true if anyone listens, because costly reports are made only in that case. */
  #isHeard(event: DestinationEventName): boolean {
    return this.#recorded.has(event) || this.#events?.has(event) === true;
  }

  #tell<N extends DestinationEventName>(event: N, report: DestinationEvents[N], onUnheard?: () => void): void {
    if (this.#events === undefined) onUnheard?.();
    else this.#events.emit(event, report, onUnheard);
    for (const listeners of this.#recorders as readonly EventListeners[]) {
      try {
        listeners[event]?.(report, this.#name);
      } catch (error) {
        this.#listenerFailed(error);
      }
    }
  }

  /** Writes the pending summary of repeated failures, because no more failures will come. */
  tellRest(): void {
    this.#repeats?.tellRest();
  }

  // All listeners share one summary, because one mistake may fail at each event of each message.
  readonly #listenerFailed = (error: unknown): void => {
    this.#repeats ??= new Repeats(this.#clock);
    this.#repeats.note('listener', 1, (failures, more) =>
      warn(more === '' ? error : `eventferry: ${textOfFailures(failures, more, error)}`),
    );
  };
}

const warn = (error: unknown): void => process.emitWarning(error instanceof Error ? error : String(error));
