import type { Context } from 'hono';
import { forwarded } from '../../base/text/forwarded.js';
import type { AdminConfig } from '../config/service-config.js';

/** The configuration of the proxies in front of the service. */
type PublicAddress = Pick<AdminConfig, 'publicUrl' | 'trustedProxies'>;

/**
 * True when a browser says that our own page asked. A page of another site, or none, has another origin or names none. Unlike
 * `hono/csrf` this asks it of every body, and of both headers.
 */
export function isOwnOrigin({ req }: Context, { publicUrl, trustedProxies = 0 }: PublicAddress): boolean {
  const [origin, site] = [req.header('origin'), req.header('sec-fetch-site')];
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === undefined || !URL.canParse(origin)) return false;
  if (publicUrl !== undefined) return new URL(origin).origin === new URL(publicUrl).origin;
  const host = forwarded(req.header('x-forwarded-host'), trustedProxies) ?? req.header('host');
  return host !== undefined && new URL(origin).host === hostIn(host, new URL(origin).protocol);
}

/** Browsers leave out the port that the protocol has by default, and some proxies do not. */
function hostIn(host: string, protocol: string): string | undefined {
  const url = `${protocol}//${host}`;
  return URL.canParse(url) ? new URL(url).host : undefined;
}

/** True when the browser comes by https, as far as the configuration or a trusted proxy says. */
export function isSecure({ req }: Context, { publicUrl, trustedProxies = 0 }: PublicAddress): boolean {
  if (publicUrl !== undefined) return new URL(publicUrl).protocol === 'https:';
  return forwarded(req.header('x-forwarded-proto'), trustedProxies) === 'https';
}

/** The path at which browsers see the page, so that two services on one host do not share a cookie. */
export const publicPath = ({ publicUrl }: PublicAddress): string =>
  publicUrl === undefined ? '/' : new URL(publicUrl).pathname;
