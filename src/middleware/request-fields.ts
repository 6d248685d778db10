import type { Defaults } from '../protocol/normalize.js';
import type { AnonymousIdPlace, RequestOptions } from './options.js';

/** A request, of whatever framework. */
export interface RequestView {
  /** The path with its query, or the whole URL. */
  readonly url: string;
  readonly isEncrypted: boolean;
  /** The other end of the connection, where the framework knows it. */
  readonly remoteAddress: string | undefined;
  /** @param name in lower case */
  header(name: string): string | undefined;
}

/** What a run of the client is given for a request. */
export interface RequestFields extends Defaults {
  waitUntil?: ((promise: Promise<unknown>) => void) | undefined;
}

/** How much of a header is read. A client could otherwise make each message of its request too large. */
const MOST_CHARACTERS = 1_000;

/** The fields of `run` that a request has, of those that were asked for. */
export function fieldsOf<Request>(
  request: Request,
  view: RequestView,
  options: RequestOptions<Request>,
): RequestFields {
  const { ip, anonymousId, trustedProxies = 0, waitUntil } = options;
  const context: Record<string, unknown> = {};
  if (ip === true) context['ip'] = addressOf(view, trustedProxies);
  else if (typeof ip === 'function') context['ip'] = ip(request);
  if (options.userAgent === true) context['userAgent'] = shortened(view.header('user-agent'));
  if (options.locale === true) context['locale'] = localeOf(view.header('accept-language'));
  if (options.page === true) context['page'] = pageOf(view, trustedProxies);
  if (options.traceparent === true) context['traceparent'] = traceparentOf(view.header('traceparent'));
  return {
    anonymousId: anonymousId && anonymousIdOf(view, anonymousId),
    context,
    waitUntil: waitUntil && ((promise) => waitUntil(promise, request)),
  };
}

const shortened = (text: string | undefined): string | undefined => text?.slice(0, MOST_CHARACTERS);

const addressOf = (view: RequestView, trustedProxies: number): string | undefined =>
  forwarded(view, 'x-forwarded-for', trustedProxies) ?? view.remoteAddress;

/** What the furthest trusted proxy has added to a list. All that stands before it came from the client. */
function forwarded(view: RequestView, name: string, trustedProxies: number): string | undefined {
  const list = trustedProxies > 0 ? view.header(name) : undefined;
  if (list === undefined) return undefined;
  const values = list.split(',');
  const value = values[Math.max(0, values.length - trustedProxies)]?.trim();
  return value === '' ? undefined : shortened(value);
}

function pageOf(view: RequestView, trustedProxies: number): Record<string, unknown> {
  const referrer = shortened(view.header('referer'));
  const url = urlOf(view);
  if (url === undefined) return { path: shortened(view.url.split('?', 1)[0]), referrer };
  // A protocol or a host that is none changes nothing.
  url.protocol = forwarded(view, 'x-forwarded-proto', trustedProxies) ?? url.protocol;
  const host = forwarded(view, 'x-forwarded-host', trustedProxies);
  // A host without a port would leave the one that is there.
  if (host !== undefined) Object.assign(url, { port: '', host });
  const { href, pathname, search } = url;
  return { url: shortened(href), path: shortened(pathname), search: shortened(search), referrer };
}

function urlOf(view: RequestView): URL | undefined {
  const origin = `${view.isEncrypted ? 'https' : 'http'}://${view.header('host') ?? 'localhost'}`;
  // Put together, as `//elsewhere/` is a path of this host.
  const address = view.url.startsWith('/') ? `${origin}${view.url}` : view.url;
  return URL.canParse(address) ? new URL(address) : undefined;
}

const LANGUAGE = /^\s*([a-z]{1,8}(?:-[a-z\d]{1,8})*)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?))?\s*$/i;

/** The language with the highest weight, the first of several. */
function localeOf(languages: string | undefined): string | undefined {
  let best: { locale: string | undefined; weight: number } = { locale: undefined, weight: 0 };
  for (const language of shortened(languages)?.split(',') ?? []) {
    const [, locale, weight = '1'] = LANGUAGE.exec(language) ?? [];
    if (locale !== undefined && Number(weight) > best.weight) best = { locale, weight: Number(weight) };
  }
  return best.locale;
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

const traceparentOf = (value: string | undefined): string | undefined =>
  value !== undefined && TRACEPARENT.test(value) ? value : undefined;

function anonymousIdOf(view: RequestView, { cookie, header }: AnonymousIdPlace): string | undefined {
  const value = cookie === undefined ? view.header(header.toLowerCase()) : cookieIn(view.header('cookie'), cookie);
  // Part of an id would be the id of another.
  return value === undefined || value === '' || value.length > MOST_CHARACTERS ? undefined : value;
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
