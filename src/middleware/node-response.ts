import { isPublic } from './cookie.js';

/** As much of a response of `node:http` as is used. */
export interface NodeResponse {
  readonly headersSent: boolean;
  getHeader(name: string): unknown;
  setHeader(name: string, value: unknown): unknown;
  appendHeader(name: string, value: string): unknown;
  writeHead(status: number, ...rest: readonly unknown[]): unknown;
}

/** Sets a cookie when the headers go, as only then it is known whether the answer is public. */
export function setCookie(response: NodeResponse, cookie: string): void {
  if (response.headersSent) return;
  const { writeHead } = response;
  response.writeHead = (status, ...rest) => {
    response.writeHead = writeHead;
    const headers = typeof rest[0] === 'string' ? rest[1] : rest[0];
    // Those that are given now would take the place of the cookie.
    for (const [name, value] of entriesOf(headers)) response.setHeader(name, value);
    if (!isPublic(response.getHeader('cache-control'))) response.appendHeader('Set-Cookie', cookie);
    return typeof rest[0] === 'string' ? response.writeHead(status, rest[0]) : response.writeHead(status);
  };
}

/** As `writeHead` takes them: an object, pairs, or names and values in turn. The values of one name together. */
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
