import { abortSignal, checkOptions, flag, notNull, type Rule, type Rules } from '../base/options/check-options.js';
import type { DeliveryFilter, TestRequest } from '../service/api/delivery-answers.js';
import type {
  DestinationQuery,
  DiscardRequest,
  MembershipChange,
  ReplayRequest,
  SourceQuery,
  TraitChange,
} from '../service/api/requests.js';
import type {
  CallOptions,
  CountsOptions,
  DeletionOptions,
  DeliveryListOptions,
  HistoryOptions,
  ListOptions,
  SyncAudienceOptions,
} from './admin-options.js';
import { json } from './api-calls.js';

// Only some options are checked here. The service checks all other values.

const listOf = (what: string): Rule => ({ expected: `a list of ${what}`, holds: Array.isArray });

const sourcesRule: Rule = {
  expected: "a list of names of sources, or 'all'",
  holds: (value) => value === 'all' || Array.isArray(value),
};

/** Texts are required, because an invalid `Date` would be sent as null. */
const moment: Rule = { expected: 'an ISO 8601 time', holds: (value) => typeof value === 'string' };

const call: Rules<CallOptions> = { signal: abortSignal };
const list: Rules<ListOptions> = { ...call, limit: notNull, after: notNull };
const filter: Rules<DeliveryFilter & CallOptions> = {
  ...call,
  destination: notNull,
  id: notNull,
  user: notNull,
  event: notNull,
  endpoint: notNull,
  status: notNull,
  reason: notNull,
  by: notNull,
  from: moment,
  to: moment,
};
const discard: Rules<DiscardRequest & CallOptions> = { ...filter, all: notNull, rate: notNull, state: notNull };

/** The rules for the options of each kind of call. */
export const OPTIONS = {
  list,
  filter,
  discard,
  replay: { ...discard, sendTo: notNull } satisfies Rules<ReplayRequest & CallOptions>,
  deliveries: { ...filter, phase: notNull } satisfies Rules<DeliveryListOptions>,
  deletion: { ...call, sources: sourcesRule } satisfies Rules<DeletionOptions>,
  history: { ...call, range: notNull } satisfies Rules<HistoryOptions>,
  counts: { ...call, hours: notNull } satisfies Rules<CountsOptions>,
  sources: { ...list, q: notNull, sort: notNull } satisfies Rules<SourceQuery & CallOptions>,
  destinations: { ...list, q: notNull, state: notNull, sort: notNull, reversed: notNull } satisfies Rules<
    DestinationQuery & CallOptions
  >,
  test: { ...call, endpoint: notNull, message: notNull } satisfies Rules<TestRequest & CallOptions>,
  syncAudience: { ...call, allowStandardTrait: flag } satisfies Rules<SyncAudienceOptions>,
};

/** The rules for the lists in each kind of change. */
export const MEMBERSHIP: Rules<MembershipChange> = { join: listOf('user ids'), leave: listOf('user ids') };
export const VALUES: Rules<TraitChange> = { set: listOf('users and values'), remove: listOf('user ids') };

/** @throws OptionError */
export const checkChange = <T extends object>(change: T, rules: Rules<T>): T =>
  checkOptions(change, rules, { door: 'admin', at: 'change' });

/** Checks the options of a call that takes only a signal, and returns them. @throws OptionError */
export const signalOf = (options: CallOptions): CallOptions => checkOptions(options, call, { door: 'admin' });

/** Converts options to the query of a call. @throws OptionError */
export function asQuery<T extends CallOptions>(options: T, rules: Rules<T>) {
  const { signal, ...query } = checkOptions(options, rules, { door: 'admin' });
  return { query, signal };
}

/** Converts options to the body of a call. @throws OptionError */
export function asBody<T extends CallOptions>(options: T, rules: Rules<T>, example?: string) {
  const { signal, ...body } = checkOptions(options, rules, {
    door: 'admin',
    ...(example !== undefined && { example }),
  });
  return { ...json(body), signal };
}
