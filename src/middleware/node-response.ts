import { isPublic } from './cookie.js';

/** The part of a `node:http` response that the middleware uses. */
export interface NodeResponse {
  readonly headersSent: boolean;
  getHeader(name: string): unknown;
  setHeader(name: string, value: unknown): unknown;
  appendHeader(name: string, value: string): unknown;
  writeHead(status: number, ...rest: readonly unknown[]): unknown;
}

/** Sets the cookie when the headers are written, because only then it is known whether the response is public. */
export function setCookie(response: NodeResponse, cookie: string): void {
  if (response.headersSent) return;
  const { writeHead } = response;
  response.writeHead = (status, ...rest) => {
    response.writeHead = writeHead;
    const headers = typeof rest[0] === 'string' ? rest[1] : rest[0];
    // Headers given to `writeHead` would replace the cookie, so they are set before it.
    for (const [name, value] of entriesOf(headers)) response.setHeader(name, value);
    if (!isPublic(response.getHeader('cache-control'))) response.appendHeader('Set-Cookie', cookie);
    return typeof rest[0] === 'string' ? response.writeHead(status, rest[0]) : response.writeHead(status);
  };
}

/**
 * Reads the headers in any form that `writeHead` accepts: an object, pairs, or names and values in turn. The values of
 * one name are joined in a list.
 */
function entriesOf(headers: unknown): Map<string, unknown> {
  const entries = new Map<string, unknown>();
  for (const [name, value] of pairsOf(headers)) {
    const earlier = entries.get(name);
    entries.set(name, earlier === undefined ? value : [earlier, value].flat());
  }
  return entries;
}

function pairsOf(headers: unknown): (readonly [string, unknown])[] {
  if (!Array.isArray(headers)) return Object.entries(Object(headers)).filter(([, value]) => value !== undefined);
  if (Array.isArray(headers[0])) return headers.map(([name, value]) => [String(name), value]);
  return headers.flatMap((name, index) => (index % 2 === 0 ? [[String(name), headers[index + 1]] as const] : []));
}
