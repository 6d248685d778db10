import { callback, checkOptions, flag, integer, isFunction, type Rules } from '../check-options.js';
import { isRecord } from '../protocol/is.js';

/** Where the anonymous id of a browser stands in a request. */
export type AnonymousIdPlace =
  /** A cookie, such as `ajs_anonymous_id`: percent-encoded or not, with or without quotation marks. */
  | { cookie: string; header?: undefined }
  /** A header, in any case. */
  | { header: string; cookie?: undefined };

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
  /** Fills in `context.page` with `url`, `path`, `search` and `referrer`. @default false */
  page?: boolean | undefined;
  /** Fills in `context.traceparent`, as W3C's Trace Context has it. @default false */
  traceparent?: boolean | undefined;
  /** Fills in `anonymousId`. @default not read */
  anonymousId?: AnonymousIdPlace | undefined;
  /**
   * How many proxies of yours stand in front of the program. Of `X-Forwarded-For`, `-Proto` and `-Host`, what they added is believed,
   * and nothing that a client sent. @default 0
   */
  trustedProxies?: number | undefined;
}

const isName = (value: unknown): boolean => typeof value === 'string' && /^[!#$%&'*+\-.^_`|~\w]+$/.test(value);

const isPlace = (value: unknown): boolean =>
  isRecord(value) && Object.keys(value).length === 1 && (isName(value['cookie']) || isName(value['header']));

const RULES: Rules<RequestOptions<never>> = {
  waitUntil: callback,
  ip: { expected: 'true, false or a function of a request', holds: (value) => flag.holds(value) || isFunction(value) },
  userAgent: flag,
  locale: flag,
  page: flag,
  traceparent: flag,
  anonymousId: { expected: "{ cookie: 'name' } or { header: 'name' }", holds: isPlace },
  trustedProxies: integer(0),
};

/** @throws OptionError */
export function checkRequestOptions(options: unknown): void {
  checkOptions(options, RULES, { door: 'client', example: 'expressMiddleware(analytics, { userAgent: true })' });
}
