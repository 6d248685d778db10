import { OptionError } from '../../base/errors/errors.js';
import {
  checkOptions,
  type OptionCheck,
  oneOf,
  type Rule,
  type Rules,
  text,
} from '../../base/options/check-options.js';
import { EXPECTED_ENDING, isEnding } from '../../delivery/attempt-outcome.js';
import { DEATH_REASONS, type DeathReason } from '../../delivery/state.js';
import { EVENT_TYPES, type EventType } from '../../protocol/field-table.js';
import { EXPECTED_TIMESTAMP, type Timestamp, toIso } from '../../protocol/timestamp.js';

/** A filter of dead letters. A letter must match every field that is given. */
export interface DeadLetterFilter {
  id?: string | undefined;
  /** The webhook's `id`, or its URL, either complete or as the service's API shows it, with secrets replaced by `***`. */
  endpoint?: string | undefined;
  /** The webhook's `id`, or a part of its shown URL. The complete `id` or URL of a webhook means only that webhook. */
  endpointPart?: string | undefined;
  type?: EventType | undefined;
  /** The name of a track event, or a message type. */
  event?: string | undefined;
  /** The user of the event, or several of whom one must match: its `userId` or, without one, its `anonymousId`. */
  user?: string | readonly string[] | undefined;
  reason?: DeathReason | undefined;
  /** The result of the last attempt: `503`, `5xx`, `timeout`, `ECONNREFUSED`. */
  status?: string | undefined;
  /** Accepted at or after this time. */
  from?: Timestamp | undefined;
  /** Accepted before this time. */
  to?: Timestamp | undefined;
  /** The last attempt was made at or after this time. A letter without an attempt counts by the time at which it died. */
  attemptedFrom?: Timestamp | undefined;
  /** The last attempt was made before this time. */
  attemptedTo?: Timestamp | undefined;
  /** Died before this time. */
  diedBefore?: Timestamp | undefined;
}

const moment: Rule = { expected: EXPECTED_TIMESTAMP, holds: (value) => toIso(value) !== undefined };

const users: Rule = {
  expected: 'the id of a user, or a list of ids',
  holds: (value) => (Array.isArray(value) ? value : [value]).every((id) => typeof id === 'string' && id !== ''),
};

const ending: Rule = {
  expected: EXPECTED_ENDING,
  holds: (value) => typeof value === 'string' && isEnding(value),
};

const STATES = ['dead', 'waiting'] as const;

/** A filter of the deliveries to discard. */
export interface DiscardFilter extends DeadLetterFilter {
  /** Selects dead letters or waiting deliveries. `reason` and `diedBefore` apply only to dead letters. @default 'dead' */
  state?: (typeof STATES)[number] | undefined;
}

export const FILTER_RULES: Rules<DeadLetterFilter> = {
  id: text,
  endpoint: text,
  endpointPart: text,
  type: oneOf(...EVENT_TYPES),
  event: text,
  user: users,
  reason: oneOf(...DEATH_REASONS),
  status: ending,
  from: moment,
  to: moment,
  attemptedFrom: moment,
  attemptedTo: moment,
  diedBefore: moment,
};

const DISCARD_RULES: Rules<DiscardFilter> = {
  ...FILTER_RULES,
  state: { expected: 'one of dead, waiting', holds: (state) => STATES.some((known) => known === state) },
};

export const FILTER_CHECK: OptionCheck = { door: 'destination', example: "{ reason: 'window-over' }" };

/** @throws OptionError */
export function checkDiscard(given: unknown): DiscardFilter {
  const filter = checkOptions(given, DISCARD_RULES, FILTER_CHECK);
  const { state, reason, diedBefore } = filter;
  if (state !== 'waiting' || (reason ?? diedBefore) === undefined) return filter;
  const name = reason === undefined ? 'diedBefore' : 'reason';
  throw new OptionError(
    'destination',
    name,
    "left out with `state: 'waiting'`",
    'a value',
    'A waiting delivery has not died',
  );
}
