import type { IncomingMessage } from 'node:http';

/** `http://host` of the absolute form, which proxies send and every server has to take (RFC 9112, 3.2.2). */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/**
 * What is asked for, as a path that begins with one slash: without the origin of the absolute form, and without the second slash
 * that an endpoint with one at its end makes.
 */
export function targetOf(url: string): string {
  if (url.charCodeAt(0) === SLASH && url.charCodeAt(1) !== SLASH) return url;
  const path = url.replace(ORIGIN, '');
  // `*` is what OPTIONS asks of the server as a whole.
  return path.startsWith('*') ? path : `/${path.replace(/^\/+/, '')}`;
}

const SLASH = 47;

/** Puts the target in its usual form where it is read from by routers, and says what it is. */
export function straighten(incoming: IncomingMessage): string {
  const url = targetOf(incoming.url ?? '');
  if (url !== incoming.url) incoming.url = url;
  return url;
}
