import { callback, checkOptions, flag, integer, isFunction, type Rules } from '../base/options/check-options.js';
import { isRecord } from '../protocol/is.js';
import { type CookieOptions, checkCookieOptions } from './cookie.js';

/** Where the anonymous id of a browser stands in a request. */
export type AnonymousIdPlace =
  /**
   * A cookie, such as `ajs_anonymous_id`: percent-encoded or not, with or without quotation marks. With `set`, a visitor without it is
   * given one, unless the answer is public or its headers have gone. Ask for consent where the law wants that.
   */
  | { cookie: string; set?: CookieOptions | undefined; header?: undefined }
  /** A header, in any case. */
  | { header: string; cookie?: undefined; set?: undefined };

/** What `page` reads. */
export interface PageOptions {
  /** Whether the query strings of the page and of its referrer are read too. They may hold what is nobody's business. @default false */
  query?: boolean | undefined;
}

/** What the middleware reads of a request. It reads nothing that is not named here. */
export interface RequestOptions<Request = unknown> {
  /**
   * Keeps a serverless function running until what a request has tracked is delivered or lost: called with the promise of that and
   * with the request. Next's `after` is one. See docs/serverless.md. @default in Hono that of its `executionCtx`, elsewhere none
   */
  waitUntil?: ((promise: Promise<unknown>, request: Request) => void) | undefined;
  /**
   * Fills in `context.ip`: with `true` the address of the client, past as many proxies as `trustedProxies` says; with a function
   * what it returns, for example `(request) => request.ip`. @default false
   */
  ip?: boolean | ((request: Request) => string | undefined) | undefined;
  /** Fills in `context.userAgent`. @default false */
  userAgent?: boolean | undefined;
  /** Fills in `context.locale` with the language that `Accept-Language` prefers. @default false */
  locale?: boolean | undefined;
  /** Fills in `context.page` with `url`, `path` and `referrer`; with `{ query: true }` their query strings too. @default false */
  page?: boolean | PageOptions | undefined;
  /** Fills in `context.traceparent`, as W3C's Trace Context has it. @default false */
  traceparent?: boolean | undefined;
  /**
   * Fills in `anonymousId`. A message of a request that names nobody has an id that lives as long as the request, with this option or
   * without. @default not read
   */
  anonymousId?: AnonymousIdPlace | undefined;
  /** Fills in `userId` with what it returns; a number as text. @default none */
  userId?: ((request: Request) => string | number | null | undefined) | undefined;
  /**
   * How many proxies of yours stand in front of the program. Of `X-Forwarded-For`, `-Proto` and `-Host`, what they added is believed,
   * and nothing that a client sent. @default 0
   */
  trustedProxies?: number | undefined;
}

const isName = (value: unknown): boolean => typeof value === 'string' && /^[!#$%&'*+\-.^_`|~\w]+$/.test(value);

const isPlace = (value: unknown): boolean => {
  if (!isRecord(value)) return false;
  const { cookie, header, set, ...rest } = value;
  if (Object.keys(rest).length > 0) return false;
  return cookie === undefined ? isName(header) && set === undefined : isName(cookie) && header === undefined;
};

const isPage = (value: unknown): boolean =>
  flag.holds(value) ||
  (isRecord(value) && Object.entries(value).every(([name, query]) => name === 'query' && flag.holds(query)));

const RULES: Rules<RequestOptions<never>> = {
  waitUntil: callback,
  ip: { expected: 'true, false or a function of a request', holds: (value) => flag.holds(value) || isFunction(value) },
  userAgent: flag,
  locale: flag,
  page: { expected: 'true, false or { query: true }', holds: isPage },
  traceparent: flag,
  anonymousId: { expected: "{ cookie: 'name' }, { cookie: 'name', set: {} } or { header: 'name' }", holds: isPlace },
  userId: callback,
  trustedProxies: integer(0),
};

/** @throws OptionError */
export function checkRequestOptions(options: unknown): void {
  checkOptions<RequestOptions<never>>(options, RULES, {
    door: 'client',
    example: 'expressMiddleware(analytics, { userAgent: true })',
  });
  if (options.anonymousId?.set !== undefined) checkCookieOptions(options.anonymousId.set);
}
