import { describeThrown } from '../../base/errors/describe-thrown.js';
import { ConnectionError, OptionError } from '../../base/errors/errors.js';
import { faultsInHeaders, type HeaderFault, TRAVEL_HEADERS } from '../../base/options/header-rules.js';
import { base64 } from '../../base/platform/node.js';
import { kindOf } from '../../base/text/describe.js';
import { VERSION } from '../../version.js';
import type { HttpTransport } from './http-transport.js';

/** Headers by their names. */
export type RequestHeaders = Readonly<Record<string, string>>;

/** Makes the headers of one attempt. */
export type MakeHeaders = () => RequestHeaders | Promise<RequestHeaders>;

/** Headers that the client, the connection or a proxy sets itself. */
const RESERVED = new Set([...TRAVEL_HEADERS, 'accept-encoding', 'x-retry-count']);

/**
 * Returns the `headers` option; checks it if it is a record.
 *
 * @throws OptionError
 */
export function resolveHeaders(headers: unknown): RequestHeaders | MakeHeaders | undefined {
  if (headers === undefined) return undefined;
  if (typeof headers === 'function') return headers as MakeHeaders;
  const fault = faultOf(headers);
  if (fault !== undefined) throw new OptionError('client', fault.at, fault.expected, fault.received);
  return headers as RequestHeaders;
}

/** Returns the headers of every request: ours, and the caller's, which win. */
export function headersFor(
  writeKey: string,
  isCompressed: boolean,
  added: RequestHeaders | MakeHeaders = {},
): RequestHeaders {
  const own = {
    Authorization: `Basic ${base64(`${writeKey}:`)}`,
    'Content-Type': 'application/json',
    'Accept-Encoding': 'identity',
    'User-Agent': `eventferry/${VERSION}`,
    ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
  };
  return typeof added === 'function' ? own : merge(own, added);
}

/** Sends each request with headers that are made for it. If they cannot be made, that counts as a failed attempt. */
export const withHeaders = (make: MakeHeaders, transport: HttpTransport): HttpTransport => ({
  async send(request) {
    const added = await made(make);
    if (request.reason !== undefined) throw request.reason;
    request.headers = merge(request.headers, added);
    return transport.send(request);
  },
  destroy: () => transport.destroy(),
});

async function made(make: MakeHeaders): Promise<RequestHeaders> {
  let fault: HeaderFault | undefined;
  try {
    const headers = await make();
    fault = faultOf(headers);
    if (fault === undefined) return headers;
  } catch (cause) {
    throw failed(describeThrown(cause), { cause });
  }
  throw failed(`expected \`${fault.at}\` to be ${fault.expected}`);
}

const failed = (what: string, options?: { cause?: unknown }): ConnectionError =>
  new ConnectionError(`The function \`headers\` failed: ${what}`, { ...options, causeCode: 'HEADERS_FAILED' });

/** Merges headers. Those of `added` win, whatever the case of their names. */
function merge(headers: RequestHeaders, added: RequestHeaders): RequestHeaders {
  const replaced = new Set(Object.keys(added).map((name) => name.toLowerCase()));
  const kept = Object.entries(headers).filter(([name]) => !replaced.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...added };
}

function faultOf(headers: unknown): HeaderFault | undefined {
  // Other objects, such as `Headers` or a `Map`, do not list their headers as properties.
  if (Object.prototype.toString.call(headers) !== '[object Object]') {
    return { at: 'headers', expected: 'a plain object, or a function that makes one', received: kindOf(headers) };
  }
  return faultsInHeaders('headers', headers as Readonly<Record<string, unknown>>, RESERVED).next().value;
}
