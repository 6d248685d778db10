import type { IncomingMessage, ServerResponse } from 'node:http';
import { formatMs } from '../base/platform/node.js';
import { clientAddress } from '../base/text/forwarded.js';
import type { MessageTypeName } from '../protocol/calls.js';
import type { Lease } from './byte-budget.js';
import type { Source } from './find-source.js';

/** The request that carried the messages. */
export interface CollectedRequest {
  /** The requested path, such as `/v1/batch`. */
  readonly path: string;
  /** The time of arrival: UTC with milliseconds. */
  readonly receivedAt: string;
  /** 1, plus the number of repetitions that the client counted in `X-Retry-Count`. */
  readonly attempt: number;
  readonly userAgent: string | undefined;
  /** The client's address according to `trustedProxies`; otherwise that of the other end of the connection. */
  readonly remoteAddress: string | undefined;
  /** The size of the body in bytes as it was transferred. 0 until it was read. */
  readonly wireBytes: number;
  /** The size of the body as JSON in bytes, after decompression. 0 until it was read. */
  readonly bytes: number;
  /** The approximate bytes of all messages as JSON, each with its batch's context and integrations. 0 until the body was read. */
  readonly expandedBytes: number;
  /** The number of messages in the body, including rejected ones and duplicates. 0 until it was read. */
  readonly messages: number;
}

/** A request while it is being read. */
type RequestInProgress = { -readonly [K in keyof CollectedRequest]: CollectedRequest[K] };

/** Returns the address of the sender in front of `trustedProxies` proxies. */
export function addressOf({ headers, socket }: IncomingMessage, trustedProxies: number): string | undefined {
  const address = socket?.remoteAddress;
  // Most addresses need no parsing. One with a colon does: a socket for both families writes IPv4 addresses as IPv6.
  return trustedProxies === 0 && !address?.includes(':')
    ? address
    : clientAddress(headers['x-forwarded-for']?.toString(), address, trustedProxies);
}

const attemptOf = (retryCount: string | string[] | undefined): number =>
  typeof retryCount === 'string' && /^\d{1,6}$/.test(retryCount) ? Number(retryCount) + 1 : 1;

/** One request, and everything that is known about it so far. */
export interface RequestContext {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** If this is undefined, the body is a batch. */
  readonly type: MessageTypeName | undefined;
  readonly receivedMs: number;
  /** When the request arrived, in ms on a clock that never jumps. It is used to measure durations. */
  readonly startedMs: number;
  readonly request: RequestInProgress;
  readonly lease: Lease;
  source: Source | undefined;
  /** The write keys that the header and the body name. */
  readonly writeKeys: string[];
  /** The decoded body. */
  json: Uint8Array | undefined;
}

type Given = Pick<RequestContext, 'incoming' | 'outgoing' | 'type' | 'receivedMs' | 'lease'> &
  Pick<CollectedRequest, 'remoteAddress'>;

export function createRequestContext({ remoteAddress, ...given }: Given): RequestContext {
  const { headers, url = '' } = given.incoming;
  const [path = ''] = url.split('?', 1);
  return {
    ...given,
    startedMs: performance.now(),
    request: {
      path,
      receivedAt: formatMs(given.receivedMs),
      attempt: attemptOf(headers['x-retry-count']),
      userAgent: headers['user-agent'],
      remoteAddress,
      wireBytes: 0,
      bytes: 0,
      expandedBytes: 0,
      messages: 0,
    },
    source: undefined,
    writeKeys: [],
    json: undefined,
  };
}

const BASIC = /^basic +([A-Za-z0-9+/_=-]+) *$/i;

/**
 * Returns the write key from an Authorization header: the user name of Basic authentication (RFC 7617). Returns undefined if the
 * header or the name is missing; the key may then be in the body.
 */
export function keyOfAuthorization(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const encoded = BASIC.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const [name] = Buffer.from(encoded, 'base64').toString().split(':', 1);
  return name === '' ? undefined : name;
}
