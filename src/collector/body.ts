import type { IncomingMessage } from 'node:http';
import type { Lease } from './byte-budget.js';
import { type HttpError, httpErrors } from './http-error.js';

export interface BodyBounds {
  /** Of the body as it comes over the wire. */
  readonly maxBytes: number;
  /** For the whole body, so that a sender of one byte a second is cut off too. */
  readonly timeoutMs: number;
  readonly lease: Lease;
}

/** Refuses a body by what its headers say of it, before a byte of it is read. */
export function refuseDeclared(incoming: IncomingMessage, maxBytes: number, lease: Lease): void {
  if (incoming.readableDidRead || incoming.readableEnded || incoming.readableEncoding !== null) {
    throw httpErrors.bodyAlreadyRead();
  }
  const declared = Number(incoming.headers['content-length'] ?? 0);
  if (declared > maxBytes) throw httpErrors.bodyTooLarge(maxBytes);
  if (!lease.fits(declared)) throw httpErrors.tooBusy();
}

/**
 * Reads the body from node's own stream; a web stream in between would cost more than everything else here.
 *
 * @throws Refusal, with the rest of the body unread
 */
export function readBody(incoming: IncomingMessage, { maxBytes, timeoutMs, lease }: BodyBounds): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    const refuse = (refusal: HttpError): void => {
      stop();
      reject(refusal);
    };
    const onData = (chunk: Uint8Array): void => {
      bytes += chunk.length;
      if (bytes > maxBytes) refuse(httpErrors.bodyTooLarge(maxBytes));
      else if (!lease.take(chunk.length)) refuse(httpErrors.tooBusy());
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      stop();
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, bytes));
    };
    const onGone = (): void => refuse(httpErrors.clientGone());
    const timer = setTimeout(() => refuse(httpErrors.bodyTimeout()), timeoutMs);
    const stop = (): void => {
      clearTimeout(timer);
      incoming.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      incoming.pause();
    };
    incoming.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
    // The app that mounted us may have paused it.
    incoming.resume();
    if (incoming.destroyed) onGone();
  });
}
