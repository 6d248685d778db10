import type { HeaderLookup } from '../signature/headers.js';
import { RefusedError } from './errors.js';

/** Why a request is refused before its body is read, or undefined when it is not. */
export function refuseUnread(method: string, header: HeaderLookup, maxBytes: number): RefusedError | undefined {
  if (method !== 'POST') return new RefusedError(405, 'Deliveries are sent with POST');
  const encoding = header('content-encoding');
  if (encoding !== undefined && !/^(identity)?$/i.test(encoding)) {
    return new RefusedError(415, 'The body is compressed; the signature is over the plain bytes, so send those');
  }
  // A browser asks before it sends JSON to another site, so a page cannot post to a receiver that takes unsigned events.
  if (!/^application\/json\s*(;|$)/i.test(header('content-type') ?? '')) {
    return new RefusedError(415, 'Send `Content-Type: application/json`');
  }
  const declared = Number(header('content-length'));
  return declared > maxBytes ? tooLarge(maxBytes) : undefined;
}

export const tooLarge = (maxBytes: number): RefusedError =>
  new RefusedError(413, `The body is larger than ${maxBytes} bytes`);
