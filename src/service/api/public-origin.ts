import type { Context } from 'hono';
import { forwarded } from '../../base/text/forwarded.js';
import type { AdminConfig } from '../config/service-config.js';

/** The settings that describe the proxies in front of the service. */
type PublicAddress = Pick<AdminConfig, 'publicUrl' | 'trustedProxies'>;

/**
 * True when the browser states that the request comes from our own page. Other pages and other programs send another origin or
 * none. Unlike `hono/csrf`, this checks every request body and both headers.
 */
export function isOwnOrigin({ req }: Context, { publicUrl, trustedProxies = 0 }: PublicAddress): boolean {
  const [origin, site] = [req.header('origin'), req.header('sec-fetch-site')];
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === undefined || !URL.canParse(origin)) return false;
  if (publicUrl !== undefined) return new URL(origin).origin === new URL(publicUrl).origin;
  const host = forwarded(req.header('x-forwarded-host'), trustedProxies) ?? req.header('host');
  return host !== undefined && new URL(origin).host === hostIn(host, new URL(origin).protocol);
}

/** Normalizes a host: browsers leave out the default port of the protocol, but some proxies do not. */
function hostIn(host: string, protocol: string): string | undefined {
  const url = `${protocol}//${host}`;
  return URL.canParse(url) ? new URL(url).host : undefined;
}

/** True when the browser uses HTTPS, as far as the configuration or a trusted proxy says. */
export function isSecure({ req }: Context, { publicUrl, trustedProxies = 0 }: PublicAddress): boolean {
  if (publicUrl !== undefined) return new URL(publicUrl).protocol === 'https:';
  return forwarded(req.header('x-forwarded-proto'), trustedProxies) === 'https';
}

/** The path under which browsers see the page. The cookie is limited to it, so two services on one host do not share a cookie. */
export const publicPath = ({ publicUrl }: PublicAddress): string =>
  publicUrl === undefined ? '/' : new URL(publicUrl).pathname;
