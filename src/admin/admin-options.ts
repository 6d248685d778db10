import { OptionError } from '../base/errors/errors.js';
import { anything, checkOptions, type Rules, required } from '../base/options/check-options.js';
import { describe } from '../base/text/describe.js';
import { isBaseUrl } from '../base/text/http-url.js';
import type { DeliveryQuery } from '../service/api/delivery-answers.js';
import type { HistoryRange } from '../service/api/history-answers.js';

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
export interface ListOptions extends CallOptions {
  /** The maximum number of items. @default all */
  limit?: number | undefined;
  /** The name or id of the last item of the previous part. */
  after?: string | undefined;
}

export interface DeletionOptions extends CallOptions {
  /** The sources to which everything is limited, or `all`. Required if there are more than 10 destinations. @default 'all' */
  sources?: readonly string[] | 'all' | undefined;
}

export interface SyncAudienceOptions extends CallOptions {
  /** True allows a new audience to use a standard trait of a user, such as `email`. @default false */
  readonly allowStandardTrait?: boolean | undefined;
}

export interface CountsOptions extends CallOptions {
  /** The number of hours before now, up to 720. @default 24 */
  hours?: number | undefined;
}

export interface HistoryOptions extends CallOptions {
  /** @default '1h' */
  range?: HistoryRange | undefined;
}

/** A filter of deliveries. A delivery matches if all given fields match. */
export type DeliveryListOptions = Omit<DeliveryQuery, 'count' | 'limit' | 'after'> & CallOptions;

const RULES: Rules<AdminClientOptions> = {
  url: required({ ...anything, expected: 'an http or https URL without credentials, query or fragment' }),
  token: required({ ...anything, expected: 'printable ASCII without spaces' }),
};

export interface ResolvedAdminOptions {
  /** The address, without a slash at its end. */
  readonly url: string;
  readonly token: string;
}

/** @throws OptionError */
export function resolveOptions(options: AdminClientOptions): ResolvedAdminOptions {
  const { url, token } = checkOptions(options, RULES, { door: 'admin', example: 'new AdminClient({ url, token })' });
  return { url: baseOf(url), token: tokenOf(token) };
}

function baseOf(url: unknown): string {
  const text = String(url);
  if (!isBaseUrl(text)) {
    // A text that is not a plain URL may contain a password, so it is not shown.
    throw new OptionError(
      'admin',
      'url',
      'an http or https URL without credentials, query or fragment',
      'another text',
    );
  }
  return new URL(text).href.replace(/\/$/, '');
}

function tokenOf(token: unknown): string {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token;
  const received = typeof token === 'string' ? `a string of ${token.length} characters` : describe(token);
  throw new OptionError('admin', 'token', 'printable ASCII without spaces', received);
}
