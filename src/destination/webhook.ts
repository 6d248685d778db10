import { isIP } from 'node:net';
import { describe } from '../describe.js';
import { isRecord } from '../protocol/is.js';
import { sign } from '../signature/sign.js';
import { standardHeaders } from '../signature/standard.js';
import type { Cidr } from './address.js';
import { refuseUnknown, SettingError } from './errors.js';
import { checkHeaders } from './headers.js';
import { isReachable, LOOPBACK } from './ssrf-guard.js';

/** One endpoint. */
export interface WebhookOptions {
  /**
   * What the webhook is known by for ever: 1 to 100 letters, digits, `.`, `_` and `-`, of no other webhook. With it the URL
   * may be any other one at any time, and what waits goes there. @default none: it is known by its URL and its place
   */
  id?: string | undefined;
  /** http or https, without credentials. Its host must be public, unless `allowCidrs` or `allowLoopback` says otherwise. */
  url: string;
  /** Sent with every delivery: `{ Authorization: 'Bearer …' }`. Headers that are ours are refused. @default none */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Signs the deliveries to this endpoint. @default `sharedSecret` */
  secret?: string | undefined;
  /** How long this endpoint may take to answer, in milliseconds, up to a minute. @default `requestTimeout` */
  requestTimeout?: number | undefined;
}

/** An endpoint with everything in place. */
export interface Webhook {
  readonly id: string | undefined;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string | undefined;
  readonly timeoutMs: number;
}

export interface WebhookDefaults {
  readonly timeoutMs: number;
  readonly secret: string | undefined;
  readonly needsSecret: boolean;
  readonly allowed: readonly Cidr[];
}

const MAX_WEBHOOKS = 5;
const ID = /^[A-Za-z0-9._-]{1,100}$/;
const NAMES: readonly string[] = [
  'id',
  'url',
  'headers',
  'secret',
  'requestTimeout',
] satisfies (keyof WebhookOptions)[];

/** @throws SettingError at the first thing that is wrong. */
export function checkWebhooks(given: readonly WebhookOptions[], defaults: WebhookDefaults): readonly Webhook[] {
  if (!Array.isArray(given)) throw new SettingError('webhooks', 'an array', kindOf(given));
  if (given.length < 1 || given.length > MAX_WEBHOOKS) {
    throw new SettingError('webhooks', `1 to ${MAX_WEBHOOKS} webhooks`, String(given.length));
  }
  const webhooks = given.map((webhook, index) => checkWebhook(`webhooks[${index}]`, webhook, defaults));
  for (const [index, { id, url }] of webhooks.entries()) {
    const first = webhooks.findIndex((other) => other.url.href === url.href);
    if (first !== index)
      throw new SettingError(`webhooks[${index}].url`, 'a URL of its own', `that of webhooks[${first}]`);
    const namesake = id === undefined ? index : webhooks.findIndex((other) => other.id === id);
    if (namesake !== index)
      throw new SettingError(`webhooks[${index}].id`, 'an id of its own', `that of webhooks[${namesake}]`);
  }
  return webhooks;
}

function checkWebhook(at: string, given: WebhookOptions, defaults: WebhookDefaults): Webhook {
  if (!isRecord(given)) throw new SettingError(at, 'an object with a url', kindOf(given));
  refuseUnknown(given, NAMES, `${at}.`);
  const url = checkUrl(`${at}.url`, given.url, defaults.allowed);
  const { id, headers = {}, requestTimeout = defaults.timeoutMs } = given;
  if (id !== undefined && (typeof id !== 'string' || !ID.test(id))) {
    throw new SettingError(`${at}.id`, '1 to 100 letters, digits, `.`, `_` and `-`', kindOf(id));
  }
  if (!isRecord(headers)) throw new SettingError(`${at}.headers`, 'an object of names and values', kindOf(headers));
  if (!Number.isInteger(requestTimeout) || requestTimeout < 1 || requestTimeout > 60_000) {
    throw new SettingError(`${at}.requestTimeout`, 'an integer from 1 to 60000', describe(requestTimeout));
  }
  const secret = checkSecret(`${at}.secret`, given.secret, defaults.needsSecret) ?? defaults.secret;
  if (secret === undefined && defaults.needsSecret) {
    throw new SettingError(
      `${at}.secret`,
      'there when `standardHeaders` is on, here or as `sharedSecret`',
      'undefined',
    );
  }
  return { id, url, headers: checkHeaders(`${at}.headers`, headers), secret, timeoutMs: requestTimeout };
}

/** Where a secret may stand: a header's value in the place of the headers, a URL in the place of its webhook. */
const kindOf = (given: unknown): string => (typeof given === 'string' ? 'a string' : describe(given));

/** The URL without its fragment, which is never sent. What was given is not named: it may hold a password or a token. */
function checkUrl(at: string, given: unknown, allowed: readonly Cidr[]): URL {
  if (typeof given !== 'string' || !URL.canParse(given)) {
    throw new SettingError(at, 'an absolute URL', typeof given === 'string' ? 'a string that is none' : kindOf(given));
  }
  const url = new URL(given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new SettingError(at, 'a URL of http or https', `one of ${url.protocol.slice(0, -1)}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new SettingError(at, 'a URL without credentials, which belong in a header', 'one with credentials');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = addressesIn(host);
  if (addresses.length > 0 && !addresses.some((address) => isReachable(address, allowed))) {
    const option = addresses.some((address) => isReachable(address, LOOPBACK))
      ? '`allowLoopback: true`'
      : '`allowCidrs`';
    throw new SettingError(at, `at a public address, unless ${option} lets it be at another`, host);
  }
  url.hash = '';
  return url;
}

/** The addresses that are known before any lookup. Source: RFC 6761, section 6.3, for `localhost`. */
const addressesIn = (host: string): readonly string[] => {
  if (isIP(host) !== 0) return [host];
  return /(^|\.)localhost\.?$/.test(host) ? ['127.0.0.1', '::1'] : [];
};

/** A secret that can sign. Its value is never named. */
export function checkSecret(at: string, given: unknown, signsStandard: boolean): string | undefined {
  if (given === undefined) return undefined;
  try {
    sign('', given as string);
    if (signsStandard) standardHeaders({ id: 'id', timestampSeconds: 0, body: '', secret: given as string });
    return given as string;
  } catch {
    const received = given === '' ? 'an empty string' : typeof given;
    throw new SettingError(at, 'a non-empty string, with base64 after `whsec_` where it begins so', received);
  }
}
