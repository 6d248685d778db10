import { becauseOf } from '../../delivery/attempt-outcome.js';
import type { SettleRule, StoredEvent } from '../../delivery/completion-rule.js';
import type { Health } from '../../delivery/health.js';
import type { Attempt, DeathReason, StoredState } from '../../delivery/state.js';
import type { EventType } from '../../protocol/field-table.js';
import type { EventStore } from '../../store/event-store.js';
import { eventKeyOf } from '../../store/queue-key.js';
import type { DestinationParts } from '../destination-parts.js';
import type { KnownWebhooks, WebhookName } from './known-webhooks.js';

/** Where one event stands at one endpoint, and why. Times are in milliseconds since 1970. */
export interface EndpointExplanation extends WebhookName {
  phase: 'pending' | 'in flight' | 'retrying' | 'delivered' | 'dead';
  /** The latest attempts, oldest first. */
  attempts: readonly Attempt[];
  /** The rule by which the last answer was judged, in words. */
  rule: string | undefined;
  /** True while most of the last attempts at the endpoint failed, including those of other events. */
  failing: boolean;
  /** When the next attempt is due. */
  nextAttemptAt: number | undefined;
  /** No attempt is made after this time. */
  triedUntil: number | undefined;
  /** Why the delivery is in this state, in words. */
  why: string;
}

export interface Explanation {
  id: string;
  type: EventType;
  /** The source that sent the event, if it is known. */
  source: string | undefined;
  acceptedAt: number;
  settle: SettleRule;
  endpoints: EndpointExplanation[];
}

/** What is known about an endpoint at the moment of an explanation. */
type EndpointNow = Pick<Health, 'breaker' | 'isFailing'> & { readonly isInFlight: boolean };

export interface ExplainedMoment {
  readonly now: number;
  readonly settle: SettleRule;
  readonly windowMs: number;
  readonly known: KnownWebhooks;
  readonly isPaused: boolean;
  /** The keys of the webhooks where the event waits behind another message of the same user. */
  readonly behind: ReadonlySet<string>;
  /** Returns undefined when the webhook with that key is no longer configured. */
  endpoint(key: string): EndpointNow | undefined;
}

export function explain(event: StoredEvent, moment: ExplainedMoment): Explanation {
  const { id, type, source, acceptedAt, urls } = event;
  const endpoints = Object.entries(urls).map(([key, state]) => explainAt(key, state, moment));
  return { id, type, source, acceptedAt, settle: moment.settle, endpoints };
}

/** Holds the key of each explained webhook, because a key is a URL that a printed explanation should not show. */
const keys = new WeakMap<EndpointExplanation, string>();

/** Returns the key of an explained webhook in its store. Different webhooks may have the same shown URL. */
export const webhookKeyOf = (endpoint: EndpointExplanation): string | undefined => keys.get(endpoint);

function explainAt(key: string, state: StoredState, moment: ExplainedMoment): EndpointExplanation {
  const endpoint = moment.endpoint(key);
  const last = state.history.at(-1);
  const explanation: EndpointExplanation = {
    ...moment.known.nameOf(key),
    phase: endpoint?.isInFlight ? 'in flight' : state.phase,
    attempts: state.history,
    rule: last && becauseOf(last),
    failing: endpoint?.isFailing ?? false,
    nextAttemptAt:
      'due' in state && !moment.behind.has(key) ? Math.max(Math.floor(state.due), openUntil(endpoint)) : undefined,
    triedUntil: state.phase === 'retrying' ? state.firstAttemptAt + moment.windowMs : undefined,
    why: endpoint?.isInFlight ? 'a request is in flight' : why(state, endpoint, moment, moment.behind.has(key)),
  };
  keys.set(explanation, key);
  return explanation;
}

/** Returns until when the circuit breaker is open, in ms since 1970; 0 if it is not open. */
export const openUntil = (endpoint: Pick<EndpointNow, 'breaker'> | undefined): number =>
  endpoint?.breaker.phase === 'open' ? endpoint.breaker.until : 0;

/** The reasons why a delivery ended, in words. */
export const DEATHS: Readonly<Record<DeathReason, string>> = {
  permanent: 'another attempt would not change the last result',
  'retries-used': 'every attempt of the schedule was made',
  'window-over': 'its time ran out before an attempt succeeded',
  'backlog-full': 'more waited at the endpoint than `maxBacklog` allows, and it was the oldest',
};

function why(
  state: StoredState,
  endpoint: EndpointNow | undefined,
  { now, isPaused }: ExplainedMoment,
  isBehind: boolean,
): string {
  if (state.phase === 'delivered') return 'the endpoint took it';
  if (state.phase === 'dead') return DEATHS[state.reason];
  if (endpoint === undefined) return 'no webhook with this URL is configured';
  if (isPaused) return 'the destination is paused';
  if (isBehind) return 'an earlier message of its user has not ended yet';
  if (endpoint.breaker.phase === 'open')
    return 'the circuit breaker of the endpoint is open, as it failed many times in a row';
  if (endpoint.breaker.phase === 'half-open')
    return 'the circuit breaker of the endpoint is half-open: it failed many times in a row, and is tried with one delivery';
  const reason = whyNotYet(state.phase === 'retrying' ? state.due : now, now);
  return endpoint.isFailing ? `${reason}; most of the last attempts at the endpoint failed` : reason;
}

function whyNotYet(due: number, now: number): string {
  if (due > now) return 'its next attempt is not due yet';
  return 'its turn has not come: as many requests as allowed are in flight, and first attempts go before retries';
}

/** Explains an event of an open destination. */
export async function explainAmong(
  { options, endpoints, clock }: Pick<DestinationParts, 'options' | 'endpoints' | 'clock'>,
  known: KnownWebhooks,
  event: StoredEvent,
): Promise<Explanation> {
  const { store, settle, retryForMs: windowMs } = options;
  const eventKey = eventKeyOf(store, event);
  const endpoint = (key: string): EndpointNow | undefined => {
    const found = endpoints.get(key);
    if (found === undefined) return undefined;
    const { breaker, isFailing } = found.health;
    return { isInFlight: found.isInFlight(eventKey), breaker, isFailing };
  };
  const behind = await behindAt(store, event);
  const { isPaused } = endpoints;
  return explain(event, { now: clock.now(), settle, windowMs, known, isPaused, behind, endpoint });
}

/** Finds the webhooks where the event waits behind another message of the same user. */
export async function behindAt(store: EventStore, { id, urls }: StoredEvent): Promise<ReadonlySet<string>> {
  const keys = Object.keys(urls);
  const isBehind = await Promise.all(keys.map((key) => store.isBehind(key, id)));
  return new Set(keys.filter((_, index) => isBehind[index]));
}
