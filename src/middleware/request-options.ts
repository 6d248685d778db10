import {
  callback,
  checkNames,
  checkOptions,
  flag,
  integer,
  isFunction,
  type Rules,
} from '../base/options/check-options.js';
import { isRecord } from '../protocol/plain.js';
import { type CookieOptions, checkCookieOptions } from './cookie.js';

/** The place of a browser's anonymous id in a request. */
export type AnonymousIdPlace =
  /**
   * The name of a cookie, such as `ajs_anonymous_id`. Its value may be percent-encoded and quoted. With `set`, a
   * visitor without the cookie gets one, unless the response is public or its headers were already sent. Ask for
   * consent where the law requires it.
   */
  | { cookie: string; set?: CookieOptions | undefined; header?: undefined }
  /** The name of a header, in upper or lower case. */
  | { header: string; cookie?: undefined; set?: undefined };

/** The details of `page`. */
export interface PageOptions {
  /** Also read the query strings of the page and of its referrer. They may contain private data. @default false */
  query?: boolean | undefined;
}

/** The fields that the middleware reads from a request. It reads nothing else. */
export interface RequestOptions<Request = unknown> {
  /**
   * Keeps a serverless function running until the messages of a request are delivered or lost. It is called with a promise for
   * that, and the request. Next's `after` is such a function. See docs/serverless.md. @default in Hono that of its
   * `executionCtx`, elsewhere none
   */
  waitUntil?: ((promise: Promise<unknown>, request: Request) => void) | undefined;
  /**
   * Fills in `context.ip`. With `true`, it is the client's address behind as many proxies as `trustedProxies` says.
   * With a function, it is what the function returns, for example `(request) => request.ip`. @default false
   */
  ip?: boolean | ((request: Request) => string | undefined) | undefined;
  /** Fills in `context.userAgent`. @default false */
  userAgent?: boolean | undefined;
  /** Fills in `context.locale` with the language that `Accept-Language` prefers. @default false */
  locale?: boolean | undefined;
  /** Fills in `context.page` with `url`, `path` and `referrer`. With `{ query: true }`, they include query strings. @default false */
  page?: boolean | PageOptions | undefined;
  /** Fills in `context.traceparent` from the W3C Trace Context header. @default false */
  traceparent?: boolean | undefined;
  /**
   * Fills in `anonymousId`. With or without this option, a message that names no user gets an id that lasts as long as
   * the request. @default not read
   */
  anonymousId?: AnonymousIdPlace | undefined;
  /** Fills in `userId` with the value it returns. A number becomes text. @default none */
  userId?: ((request: Request) => string | number | null | undefined) | undefined;
  /**
   * The number of your own proxies in front of the program. From `X-Forwarded-For`, `-Proto` and `-Host`, only what
   * they added is believed, nothing that a client sent. @default 0
   */
  trustedProxies?: number | undefined;
}

const isName = (value: unknown): boolean => typeof value === 'string' && /^[!#$%&'*+\-.^_`|~\w]+$/.test(value);

const isPlace = (value: unknown): boolean => {
  if (!isRecord(value)) return false;
  const { cookie, header, set } = value;
  return cookie === undefined ? isName(header) && set === undefined : isName(cookie) && header === undefined;
};

const RULES: Rules<RequestOptions<never>> = {
  waitUntil: callback,
  ip: { expected: 'true, false or a function of a request', holds: (value) => flag.holds(value) || isFunction(value) },
  userAgent: flag,
  locale: flag,
  page: { expected: 'true, false or { query: true }', holds: (value) => flag.holds(value) || isRecord(value) },
  traceparent: flag,
  anonymousId: { expected: "{ cookie: 'name' }, { cookie: 'name', set: {} } or { header: 'name' }", holds: isPlace },
  userId: callback,
  trustedProxies: integer(0),
};

/** @throws OptionError */
export function checkRequestOptions<Request>(given: unknown): RequestOptions<Request> {
  const options = checkOptions<RequestOptions<Request>>(given, RULES, {
    door: 'client',
    example: 'expressMiddleware(analytics, { userAgent: true })',
  });
  const { anonymousId, page } = options;
  if (typeof page === 'object') checkOptions<PageOptions>(page, { query: flag }, { door: 'client', at: 'page' });
  if (anonymousId === undefined) return options;
  checkNames(anonymousId, ['cookie', 'header', 'set'], { door: 'client', at: 'anonymousId' });
  if (anonymousId.set !== undefined) checkCookieOptions(anonymousId.set);
  return options;
}
