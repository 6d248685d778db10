import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/**
 * Decides whether a request may access the debugger. Another site could point its own host name at this machine (DNS rebinding);
 * its requests then have that name in `Host`. Requests that it makes without this trick have its name in `Origin`.
 *
 * An IP address or `localhost` in `Host` cannot be rebound, whatever the port. `ownHost` is the name that the server listens on.
 */
export function isOwnRequest(headers: IncomingHttpHeaders, ownHost: string): boolean {
  const { host, origin } = headers;
  if (host === undefined || !isOwnHost(host, ownHost)) return false;
  if (origin !== undefined && origin !== `http://${host}`) return false;
  return isOwnFetch(headers);
}

function isOwnHost(host: string, ownHost: string): boolean {
  const url = `http://${host}`;
  if (!URL.canParse(url)) return false;
  const { hostname, host: whole } = new URL(url);
  // If the parser changed the host, it was not a plain host: it had credentials, a path, or upper-case letters.
  if (whole !== host.toLowerCase().replace(/:80$/, '')) return false;
  return hostname === 'localhost' || hostname === ownHost || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
}

/** Checks the origin that the browser reports. A link on another site may open the page, because the page holds no data. */
function isOwnFetch(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}
