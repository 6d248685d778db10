import { isIP } from 'node:net';
import { OptionError } from '../base/errors/errors.js';
import { anything, checkOptions, integer, type Rules, required } from '../base/options/check-options.js';
import { faultInHeaders, TRAVEL_HEADERS } from '../base/options/header-rules.js';
import type { Cidr } from '../base/text/address.js';
import { httpUrlIn } from '../base/text/http-url.js';
import { isRecord } from '../protocol/plain.js';
import type { SignatureScheme } from '../signature/scheme.js';
import { assertSigningSecret, schemes } from '../signature/schemes.js';
import { isReachable, LOOPBACK } from './ssrf-guard.js';

/** One endpoint. */
export interface WebhookOptions {
  /**
   * The webhook is known by it for ever: 1 to 100 letters, digits, `.`, `_` and `-`, of no other webhook. With it the URL
   * may be any other one at any time, and what waits goes there. @default none: it is known by its URL and its place
   */
  id?: string | undefined;
  /** http or https, without credentials. Its host must be public, unless `allowCidrs` or `allowLoopback` says otherwise. */
  url: string;
  /** Sent with every delivery: `{ Authorization: 'Bearer …' }`. Headers that are ours are refused. @default none */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Signs the deliveries to this endpoint. @default `sharedSecret` */
  secret?: string | undefined;
  /** This endpoint may take so many milliseconds to answer, up to a minute. @default `requestTimeout` */
  requestTimeout?: number | undefined;
}

/** An endpoint with everything in place. */
export interface Webhook {
  readonly id: string | undefined;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string | undefined;
  readonly timeoutMs: number;
}

export interface WebhookDefaults {
  readonly timeoutMs: number;
  readonly secret: string | undefined;
  /** The schemes that `sign` names; undefined without it, when an endpoint with a secret gets `X-Signature`. */
  readonly schemes: readonly SignatureScheme[] | undefined;
  readonly allowed: readonly Cidr[];
}

const MAX_WEBHOOKS = 5;
const ID = /^[A-Za-z0-9._-]{1,100}$/;
/** Someone who knows other senders may call an option by the first of these names. */
export const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['retryWindow', 'retryFor'],
  ['timeout', 'requestTimeout'],
]);

export function advise(name: string): string | undefined {
  const ours = ELSEWHERE.get(name);
  return ours && `Use \`${ours}\``;
}

const RULES: Rules<WebhookOptions> = {
  id: {
    expected: '1 to 100 letters, digits, `.`, `_` and `-`',
    holds: (id) => typeof id === 'string' && ID.test(id),
    isSecret: true,
  },
  url: required({
    expected: 'an absolute URL',
    holds: (url) => typeof url === 'string' && URL.canParse(url),
    isSecret: true,
  }),
  headers: { expected: 'an object of names and values', holds: isRecord, isSecret: true },
  secret: anything,
  requestTimeout: integer(1, 60_000),
};

/** @throws OptionError at the first thing that is wrong. */
export function checkWebhooks(given: readonly WebhookOptions[], defaults: WebhookDefaults): readonly Webhook[] {
  if (given.length < 1 || given.length > MAX_WEBHOOKS) {
    throw new OptionError('destination', 'webhooks', `1 to ${MAX_WEBHOOKS} webhooks`, String(given.length));
  }
  const webhooks: Webhook[] = [];
  for (const [index, webhook] of given.entries()) webhooks.push(checkWebhook(`webhooks[${index}]`, webhook, defaults));
  for (const [index, { id, url }] of webhooks.entries()) {
    const first = webhooks.findIndex((other) => other.url === url);
    if (first !== index)
      throw new OptionError('destination', `webhooks[${index}].url`, 'a URL of its own', `that of webhooks[${first}]`);
    const namesake = id === undefined ? index : webhooks.findIndex((other) => other.id === id);
    if (namesake !== index)
      throw new OptionError(
        'destination',
        `webhooks[${index}].id`,
        'an id of its own',
        `that of webhooks[${namesake}]`,
      );
  }
  return webhooks;
}

function checkWebhook(at: string, given: WebhookOptions, defaults: WebhookDefaults): Webhook {
  checkOptions(given, RULES, { door: 'destination', at, advise });
  const { id, headers = {}, requestTimeout = defaults.timeoutMs } = given;
  const url = checkUrl(`${at}.url`, given.url, defaults.allowed);
  const secret = checkSecret(`${at}.secret`, given.secret, defaults.schemes) ?? defaults.secret;
  if (secret === undefined && defaults.schemes !== undefined) {
    const expected = 'there when `sign` is given, here or as `sharedSecret`';
    throw new OptionError('destination', `${at}.secret`, expected, 'undefined');
  }
  return { id, url, headers: checkHeaders(`${at}.headers`, headers), secret, timeoutMs: requestTimeout };
}

/** The URL without its fragment, which is never sent. What was given is not named: it may hold a password or a token. */
function checkUrl(at: string, given: string, allowed: readonly Cidr[]): string {
  const url = new URL(given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OptionError('destination', at, 'a URL of http or https', `one of ${url.protocol.slice(0, -1)}`);
  }
  if (httpUrlIn(given) === undefined) {
    throw new OptionError('destination', at, 'a URL with a port from 1 to 65535', 'one with port 0');
  }
  if (url.username !== '' || url.password !== '') {
    throw new OptionError(
      'destination',
      at,
      'a URL without credentials, which belong in a header',
      'one with credentials',
    );
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = addressesIn(host);
  if (addresses.length > 0 && !addresses.some((address) => isReachable(address, allowed))) {
    const option = addresses.some((address) => isReachable(address, LOOPBACK))
      ? '`allowLoopback: true`'
      : '`allowCidrs`';
    throw new OptionError('destination', at, `a URL at a public address, or ${option}`, host);
  }
  url.hash = '';
  return url.href;
}

/** The addresses that are known before any lookup. Source: RFC 6761, section 6.3, for `localhost`. */
const addressesIn = (host: string): readonly string[] => {
  if (isIP(host) !== 0) return [host];
  return /(^|\.)localhost\.?$/.test(host) ? ['127.0.0.1', '::1'] : [];
};

/** A secret that can sign with each scheme. Its value is never named. */
export function checkSecret(
  at: string,
  secret: unknown,
  signing: readonly SignatureScheme[] | undefined = [],
): string | undefined {
  if (secret === undefined) return undefined;
  assertSigningSecret('destination', at, secret, signing);
  return secret;
}

/** Headers that are ours, or that say how a message travels. */
const RESERVED = new Set([
  ...TRAVEL_HEADERS,
  'accept-encoding',
  'proxy-authenticate',
  'user-agent',
  ...Object.values(schemes).flatMap(({ headers }) => headers),
]);

/**
 * A webhook's static headers, as they were given.
 *
 * @throws OptionError when one is reserved, malformed, or there twice. Values are never named: they may be tokens.
 */
function checkHeaders(setting: string, headers: Readonly<Record<string, string>>): Record<string, string> {
  const fault = faultInHeaders(setting, headers, RESERVED);
  if (fault !== undefined) throw new OptionError('destination', fault.at, fault.expected, fault.received);
  return { ...headers };
}
