import { describeThrown } from '../base/errors/describe-thrown.js';
import { MAX_USER_ID_BYTES } from '../base/options/limits.js';
import { kindOf } from '../base/text/describe.js';
import { clientAddress, forwarded as forwardedIn } from '../base/text/forwarded.js';
import type { MessageDefaults } from '../protocol/normalize.js';
import { flawInId } from '../protocol/user-id.js';
import { cookieText } from './cookie.js';
import type { AnonymousIdPlace, PageOptions, RequestOptions } from './request-options.js';

/** A request, independent of its framework. */
export interface RequestView {
  /** The path with its query, or the whole URL. */
  readonly url: string;
  readonly isEncrypted: boolean;
  /** The other end of the connection, if the framework knows it. */
  readonly remoteAddress: string | undefined;
  /** @param name in lower case */
  header(name: string): string | undefined;
}

/** The fields that a request gives to its run. */
export interface RequestFields extends MessageDefaults {
  waitUntil?: ((promise: Promise<unknown>) => void) | undefined;
}

export type Visit = ReturnType<typeof visitOf>;

/**
 * Returns the fields of a request's run, and the `Set-Cookie` value for a new visitor, if the options ask for one. There is always
 * an id: the visitor's own, or one for this request.
 */
export function visitOf<Request>(request: Request, view: RequestView, options: RequestOptions<Request>) {
  const fields = fieldsOf(request, view, options);
  if (fields.anonymousId !== undefined) return { fields, cookie: undefined };
  const { anonymousId: place, trustedProxies = 0 } = options;
  const id = crypto.randomUUID();
  if (place?.set === undefined) return { fields: { ...fields, visitorId: id }, cookie: undefined };
  const cookie = cookieText(place.cookie, id, place.set, isSecure(view, trustedProxies));
  return { fields: { ...fields, anonymousId: id }, cookie };
}

const isSecure = (view: RequestView, trustedProxies: number): boolean =>
  (forwarded(view, 'x-forwarded-proto', trustedProxies) ?? (view.isEncrypted ? 'https' : 'http')) === 'https';

/** The most characters of a header that are read, so that a client cannot make each message of its request too large. */
const MOST_CHARACTERS = 1_000;

/** Reads the fields that the options ask for. */
export function fieldsOf<Request>(
  request: Request,
  view: RequestView,
  options: RequestOptions<Request>,
): RequestFields {
  const { ip, page, userId, anonymousId, trustedProxies = 0, waitUntil } = options;
  const context: Record<string, unknown> = {};
  if (ip === true) context['ip'] = addressOf(view, trustedProxies);
  else if (typeof ip === 'function') context['ip'] = givenBy(() => ip(request), addressIn, IP);
  if (options.userAgent === true) context['userAgent'] = shortened(view.header('user-agent'));
  if (options.locale === true) context['locale'] = localeOf(view.header('accept-language'));
  if (page) context['page'] = pageOf(view, trustedProxies, page === true ? {} : page);
  if (options.traceparent === true) context['traceparent'] = traceparentOf(view.header('traceparent'));
  return {
    userId: userId && givenBy(() => userId(request), idIn, USER_ID),
    anonymousId: anonymousId && anonymousIdOf(view, anonymousId),
    context,
    waitUntil: waitUntil && ((promise) => waitUntil(promise, request)),
  };
}

/** The purpose of a function in the options, for warnings. */
interface OptionPurpose {
  readonly option: string;
  readonly what: string;
  readonly consequence: string;
}

const USER_ID: OptionPurpose = { option: 'userId', what: 'id', consequence: 'names no user' };
const IP: OptionPurpose = { option: 'ip', what: 'address', consequence: 'has no address' };

/**
 * Calls a function of the app and returns its value if it is usable. If the function fails, that is only a warning, so that the
 * visitor still gets the response.
 */
function givenBy(
  ask: () => unknown,
  usable: (given: unknown) => string | undefined,
  { option, what, consequence }: OptionPurpose,
): string | undefined {
  const warn = (kind: string, problem: string): void => {
    const text = `the function \`${option}\` of the middleware ${problem}, so the request ${consequence}`;
    warnOnce(`${option} ${kind}`, text);
  };
  try {
    const given = ask();
    if (given == null || given === '' || Number.isNaN(given)) return undefined;
    const text = usable(given);
    if (text !== undefined) return text;
    warn(typeof given, `returned ${kindOf(given)}, which is not a valid ${what}`);
    // If the value is a promise that rejects, nothing else handles the rejection.
    if (typeof given === 'object') Promise.resolve(given).catch(() => {});
  } catch (error) {
    warn('threw', `threw ${describeThrown(error)}`);
  }
  return undefined;
}

/** The part of `process` that every platform with a `process` has. */
interface Warned {
  emitWarning?(text: string, options: { type: string; code: string }): void;
}

const CODE = 'EVENTFERRY_VISITOR';

const warnedOf = new Set<string>();

/** Warns the operator once for each kind, because a mistake with one request recurs with the next. */
export function warnOnce(kind: string, text: string): void {
  if (warnedOf.has(kind)) return;
  warnedOf.add(kind);
  const line = `eventferry: ${text}; this is told once`;
  const { process } = globalThis as { process?: Warned };
  if (process?.emitWarning !== undefined) process.emitWarning(line, { type: 'EventferryWarning', code: CODE });
  // biome-ignore lint/suspicious/noConsole: where there is no process there is no other place.
  else console.warn(`${line} (${CODE})`);
}

const encoder = new TextEncoder();

/** Returns true if a run accepts the id. With any other id it would throw, and the visitor would get no response. */
export const isVisitorId = (id: string): boolean =>
  id !== '' &&
  flawInId(id) === undefined &&
  !/[\p{Surrogate}\p{Control}]/u.test(id) &&
  encoder.encode(id).length <= MAX_USER_ID_BYTES;

const idIn = (given: unknown): string | undefined =>
  (typeof given === 'string' || Number.isFinite(given)) && isVisitorId(String(given)) ? String(given) : undefined;

const addressIn = (given: unknown): string | undefined => (typeof given === 'string' ? shortened(given) : undefined);

const shortened = (text: string | undefined): string | undefined => text?.slice(0, MOST_CHARACTERS);

const addressOf = (view: RequestView, trustedProxies: number): string | undefined =>
  shortened(clientAddress(view.header('x-forwarded-for'), view.remoteAddress, trustedProxies));

const forwarded = (view: RequestView, name: string, trustedProxies: number): string | undefined =>
  shortened(forwardedIn(view.header(name), trustedProxies));

function pageOf(view: RequestView, trustedProxies: number, { query }: PageOptions): Record<string, unknown> {
  const kept = (address: string | undefined) => shortened(withoutUser(query ? address : address?.split('?', 1)[0]));
  const referrer = kept(view.header('referer'));
  const url = urlOf(view);
  if (url === undefined) return { path: shortened(view.url.split('?', 1)[0]), referrer };
  // An invalid protocol or host changes nothing.
  url.protocol = forwarded(view, 'x-forwarded-proto', trustedProxies) ?? url.protocol;
  const host = forwarded(view, 'x-forwarded-host', trustedProxies);
  // Assigning a host without a port would keep the old port.
  if (host !== undefined) Object.assign(url, { port: '', host });
  const { href, pathname, search } = url;
  return { url: kept(href), path: shortened(pathname), ...(query && { search: shortened(search) }), referrer };
}

/** Removes a user and password from an address, because they are only for the server. */
const withoutUser = (address: string | undefined) => address?.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, '$1');

function urlOf(view: RequestView): URL | undefined {
  const origin = `${view.isEncrypted ? 'https' : 'http'}://${view.header('host') ?? 'localhost'}`;
  // The parts are concatenated, because `//elsewhere/` is a path of this host.
  const address = view.url.startsWith('/') ? `${origin}${view.url}` : view.url;
  return URL.canParse(address) ? new URL(address) : undefined;
}

const LANGUAGE = /^\s*([a-z]{1,8}(?:-[a-z\d]{1,8}){0,9})\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?))?\s*$/i;

/** Returns the language with the highest weight; the first of several. */
function localeOf(languages: string | undefined): string | undefined {
  let best: { locale: string | undefined; weight: number } = { locale: undefined, weight: 0 };
  for (const language of languages?.split(',') ?? []) {
    const [, locale, weight = '1'] = LANGUAGE.exec(language) ?? [];
    if (locale !== undefined && Number(weight) > best.weight) best = { locale, weight: Number(weight) };
  }
  return best.locale;
}

/** The format from https://www.w3.org/TR/trace-context/#traceparent-header. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

const traceparentOf = (value: string | undefined): string | undefined =>
  value !== undefined && TRACEPARENT.test(value) ? value : undefined;

function anonymousIdOf(view: RequestView, { cookie, header }: AnonymousIdPlace): string | undefined {
  const value = cookie === undefined ? view.header(header.toLowerCase()) : cookieIn(view.header('cookie'), cookie);
  // A truncated id could belong to another visitor, and all visitors without an id would share `null`.
  return value !== undefined && value !== 'null' && isVisitorId(value) ? value : undefined;
}

function cookieIn(cookies: string | undefined, name: string): string | undefined {
  for (const pair of cookies?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === name) return unquoted(decoded(pair.slice(at + 1).trim()));
  }
  return undefined;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

const unquoted = (value: string): string => /^"(.*)"$/s.exec(value)?.[1] ?? value;
