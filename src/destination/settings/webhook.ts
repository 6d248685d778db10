import { isIP } from 'node:net';
import type { Cidr } from '../../base/text/address.js';
import { httpUrlIn } from '../../base/text/http-url.js';
import { isReachable, LOOPBACK } from '../network/ssrf-guard.js';

/** A webhook with all defaults filled in. */
export interface Webhook {
  readonly id: string | undefined;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string | undefined;
  readonly timeoutMs: number;
}

/** The URL without its fragment, which is never sent. */
export function urlOf(given: string): string {
  const url = new URL(given);
  url.hash = '';
  return url.href;
}

/**
 * Returns the reason why a webhook may not have this http or https URL; undefined if it may. It never shows the URL, which may hold a password
 * or a token.
 *
 * @param allowed networks that are allowed although they are not public. Without it every address is.
 */
export function faultInUrl(
  given: string,
  allowed: readonly Cidr[] | undefined,
): { readonly expected: string; readonly received: string } | undefined {
  const url = new URL(given);
  if (httpUrlIn(given) === undefined)
    return { expected: 'a URL with a port from 1 to 65535', received: 'one with port 0' };
  if (url.username !== '' || url.password !== '')
    return { expected: 'a URL without credentials, which belong in a header', received: 'one with credentials' };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = addressesIn(host);
  if (allowed === undefined || addresses.length === 0) return undefined;
  if (addresses.some((address) => isReachable(address, allowed))) return undefined;
  const isLoopback = addresses.some((address) => isReachable(address, LOOPBACK));
  const option = isLoopback ? '`allowLoopback: true`' : '`allowCidrs`';
  return { expected: `a URL at a public address, or ${option}`, received: host };
}

/** The addresses of a host that are known without a lookup. Source: RFC 6761, section 6.3, for `localhost`. */
const addressesIn = (host: string): readonly string[] => {
  if (isIP(host) !== 0) return [host];
  return /(^|\.)localhost\.?$/.test(host) ? ['127.0.0.1', '::1'] : [];
};
