import {
  abortSignal,
  checkOptions,
  flag,
  notNull,
  type Rule,
  type Rules,
  required,
} from '../base/options/check-options.js';
import { isBaseUrl } from '../base/text/http-url.js';
import type { DeliveryQuery } from '../service/api/delivery-answers.js';
import type { HistoryQuery } from '../service/api/history-answers.js';
import type { CountsQuery, ListQuery } from '../service/api/requests.js';

export interface AdminClientOptions {
  /** The address of the service: `http://127.0.0.1:4100`. */
  url: string | URL;
  /** The service's admin token. */
  token: string;
}

export interface CallOptions {
  /** Aborting it cancels the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Which part of a list to return. */
export type ListOptions = ListQuery & CallOptions;

export interface DeletionOptions extends CallOptions {
  /** The sources to which everything is limited, or `all`. Required if there are more than 10 destinations. @default 'all' */
  sources?: readonly string[] | 'all' | undefined;
}

export interface SyncAudienceOptions extends CallOptions {
  /** True allows a new audience to use a standard trait of a user, such as `email`. @default false */
  readonly allowStandardTrait?: boolean | undefined;
}

export type CountsOptions = CountsQuery & CallOptions;

export type HistoryOptions = HistoryQuery & CallOptions;

/** A filter of deliveries. A delivery matches if all given fields match. */
export type DeliveryListOptions = Omit<DeliveryQuery, 'count' | 'limit' | 'after'> & CallOptions;

const RULES: Rules<AdminClientOptions> = {
  url: required({
    expected: 'an http or https URL without credentials, query or fragment',
    holds: (value) => isBaseUrl(String(value)),
    // A text that is not a plain URL may contain a password.
    isSecret: true,
  }),
  token: required({
    expected: 'printable ASCII without spaces',
    holds: (value) => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value),
    isSecret: true,
  }),
};

export interface ResolvedAdminOptions {
  /** The address, without a slash at its end. */
  readonly url: string;
  readonly token: string;
}

/** @throws OptionError */
export function resolveOptions(options: AdminClientOptions): ResolvedAdminOptions {
  const { url, token } = checkOptions(options, RULES, { door: 'admin', example: 'new AdminClient({ url, token })' });
  return { url: new URL(url).href.replace(/\/$/, ''), token };
}

/** Texts are required, because an invalid `Date` would be sent as null. */
const moment: Rule = { expected: 'an ISO 8601 time', holds: (value) => typeof value === 'string' };

/** The options that have a rule of their own. The service checks all other values. */
const CALL_RULES: Readonly<Record<string, Rule>> = {
  signal: abortSignal,
  allowStandardTrait: flag,
  sources: {
    expected: "a list of names of sources, or 'all'",
    holds: (value) => value === 'all' || Array.isArray(value),
  },
  from: moment,
  to: moment,
};

/**
 * Checks the options of a call and returns them.
 *
 * @param names the options that the call has besides `signal`
 * @param example shows how the call is written
 * @throws OptionError
 */
export function checkCall<T extends CallOptions>(options: T, names: readonly string[], example?: string): T {
  const rules = Object.fromEntries(['signal', ...names].map((name) => [name, CALL_RULES[name] ?? notNull]));
  return checkOptions(options, rules as Rules<T>, { door: 'admin', ...(example !== undefined && { example }) });
}

/** @throws OptionError */
export const checkChange = <T extends object>(change: T, rules: Rules<T>): T =>
  checkOptions(change, rules, { door: 'admin', at: 'change' });
