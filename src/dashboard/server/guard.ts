import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/**
 * Decides whether a request may see the debugger. A page of another site could point a name of its own at this machine (DNS
 * rebinding), and then its name stands in Host. A request that such a page makes openly carries its Origin.
 *
 * An address or `localhost` in Host cannot be rebound, whatever the port; `ownHost` is the name we were told to listen on.
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
  // A host that the parser had to change is not plain: it has credentials or a path, or letters of another case.
  if (whole !== host.toLowerCase().replace(/:80$/, '')) return false;
  return hostname === 'localhost' || hostname === ownHost || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
}

/** Browsers say where a request comes from. A link from elsewhere may open the page, as it holds nothing by itself. */
function isOwnFetch(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}
