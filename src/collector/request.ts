import type { IncomingMessage, ServerResponse } from 'node:http';
import { formatMs } from '../base/platform/node.js';
import { clientAddress } from '../base/text/forwarded.js';
import type { MessageTypeName } from '../protocol/calls.js';
import type { Lease } from './byte-budget.js';
import type { Source } from './find-source.js';

/** The request that messages came in. */
export interface CollectedRequest {
  /** `/v1/batch`, as it was asked for. */
  readonly path: string;
  /** UTC with milliseconds. */
  readonly receivedAt: string;
  /** 1, and one more for each repetition the client counted in `X-Retry-Count`. */
  readonly attempt: number;
  readonly userAgent: string | undefined;
  /** The address of the client, as far as `trustedProxies` tells; otherwise that of the other end of the connection. */
  readonly remoteAddress: string | undefined;
  /** The body as it came over the wire. 0 until it was read. */
  readonly wireBytes: number;
  /** The body as JSON, after decompression. 0 until it was read. */
  readonly bytes: number;
  /** About the bytes of the messages as JSON once each has the context and integrations of its batch. 0 until the body was read. */
  readonly expandedBytes: number;
  /** The number of messages in the body, rejected ones and duplicates included. 0 until it was read. */
  readonly messages: number;
}

/** A request while it is being read. */
type RequestInProgress = { -readonly [K in keyof CollectedRequest]: CollectedRequest[K] };

/** Returns the address of the sender in front of that many trusted proxies. */
export function addressOf({ headers, socket }: IncomingMessage, trustedProxies: number): string | undefined {
  const address = socket?.remoteAddress;
  // Most connections need no parsing. One of a socket for both families does: it writes an IPv4 address as one of IPv6.
  return trustedProxies === 0 && !address?.includes(':')
    ? address
    : clientAddress(headers['x-forwarded-for']?.toString(), address, trustedProxies);
}

const describeRequest = ({ incoming, receivedMs, remoteAddress }: Given, path: string): RequestInProgress => ({
  path,
  receivedAt: formatMs(receivedMs),
  attempt: attemptOf(incoming.headers['x-retry-count']),
  userAgent: incoming.headers['user-agent'],
  remoteAddress,
  wireBytes: 0,
  bytes: 0,
  expandedBytes: 0,
  messages: 0,
});

const attemptOf = (retryCount: string | string[] | undefined): number =>
  typeof retryCount === 'string' && /^\d{1,6}$/.test(retryCount) ? Number(retryCount) + 1 : 1;

/** One request, and all that is known of it so far. */
export interface RequestContext {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Without a type the body is a batch. */
  readonly type: MessageTypeName | undefined;
  readonly receivedMs: number;
  /** It is of a clock that never jumps. */
  readonly startedMs: number;
  readonly request: RequestInProgress;
  readonly lease: Lease;
  source: Source | undefined;
  /** The decoded body. */
  json: Uint8Array | undefined;
}

type Given = Pick<RequestContext, 'incoming' | 'outgoing' | 'type' | 'receivedMs' | 'lease'> &
  Pick<CollectedRequest, 'remoteAddress'>;

export function createRequestContext({ remoteAddress, ...given }: Given): RequestContext {
  const [path = ''] = (given.incoming.url ?? '').split('?', 1);
  return {
    ...given,
    startedMs: performance.now(),
    request: describeRequest({ ...given, remoteAddress }, path),
    source: undefined,
    json: undefined,
  };
}

const BASIC = /^basic +([A-Za-z0-9+/_=-]+) *$/i;

/**
 * Reads the write key of an Authorization header: the user name of Basic authentication (RFC 7617). Undefined when there is no
 * such header or no name in it, which leaves the key to the body.
 */
export function keyOfAuthorization(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const encoded = BASIC.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const [name] = Buffer.from(encoded, 'base64').toString().split(':', 1);
  return name === '' ? undefined : name;
}
