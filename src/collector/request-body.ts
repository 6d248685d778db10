import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { FairQueue } from '../base/structures/fair-queue.js';
import type { Lease } from './byte-budget.js';
import { type HttpError, httpErrors } from './http-error.js';

export interface BodyBounds {
  /** The largest body in bytes, as it is transferred. */
  readonly maxBytes: number;
  /** The deadline for the whole body, so that a sender of one byte a second is cut off too. */
  readonly timeoutMs: number;
  readonly lease: Lease;
}

/** Refuses a body because of what its headers declare, before any of it is read. */
export function refuseDeclared(incoming: IncomingMessage, maxBytes: number, lease: Lease): void {
  if (incoming.readableDidRead || incoming.readableEnded || incoming.readableEncoding !== null) {
    throw httpErrors.bodyAlreadyRead();
  }
  const declared = Number(incoming.headers['content-length'] ?? 0);
  if (declared > maxBytes) throw httpErrors.bodyTooLarge(maxBytes);
  if (!lease.fits(declared)) throw httpErrors.tooBusy();
}

/**
 * Reads the body from Node's own stream; a web stream would cost more than everything else here.
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
    // The app that mounted the collector may have paused the stream.
    incoming.resume();
    if (incoming.destroyed) onGone();
  });
}

export type Encoding = 'identity' | 'gzip' | 'deflate' | 'br';

const ENCODINGS = new Map<string, Encoding>([
  ['', 'identity'],
  ['identity', 'identity'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
]);

/** @throws Refusal if `decode` does not support the encoding */
export function encodingOf(header: string | undefined): Encoding {
  const encoding = ENCODINGS.get((header ?? '').trim().toLowerCase());
  if (encoding === undefined) throw httpErrors.unsupportedEncoding();
  return encoding;
}

/**
 * Decodes the body, and stops when the result would exceed `maxBytes`, so a compression bomb is never fully inflated. It runs
 * synchronously, because the limit keeps it to a millisecond or two and another thread would cost more.
 *
 * @throws Refusal
 */
export function decode(body: Uint8Array, encoding: Encoding, maxBytes: number): Uint8Array {
  const compressed = encoding === 'identity' && isGzip(body) ? 'gzip' : encoding;
  if (compressed === 'identity' || body.length === 0) return body;
  try {
    return decompress(body, compressed, { maxOutputLength: maxBytes, chunkSize: 64 * 1024 });
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw tooLarge ? httpErrors.bodyTooLarge(maxBytes) : httpErrors.invalidEncoding(compressed);
  }
}

// A client may compress without declaring it; no JSON begins with these bytes.
const isGzip = (body: Uint8Array): boolean => body[0] === 0x1f && body[1] === 0x8b;

/** A body of this size is decoded in well under a millisecond. A compressed one may become a hundred times as large. */
const SMALL_BYTES = 4_096;

export const isSmall = (body: Uint8Array, encoding: Encoding): boolean =>
  encoding === 'identity' && body.length <= SMALL_BYTES && !isGzip(body);

function decompress(
  body: Uint8Array,
  encoding: Exclude<Encoding, 'identity'>,
  limits: { maxOutputLength: number; chunkSize: number },
): Uint8Array {
  if (encoding === 'gzip') return gunzipSync(body, limits);
  if (encoding === 'br') return brotliDecompressSync(body, limits);
  // `deflate` means the zlib format (RFC 9110), but some clients send the raw stream. The low half of zlib's first byte is 8.
  return ((body[0] ?? 0) & 0x0f) === 8 ? inflateSync(body, limits) : inflateRawSync(body, limits);
}

const waiting = new WeakSet<IncomingMessage>();

/** Notes that the client waits for permission (`Expect: 100-continue`) before it sends its body. */
export const noteExpectation = (incoming: IncomingMessage): void => {
  waiting.add(incoming);
};

export const awaitsContinue = (incoming: IncomingMessage): boolean => waiting.has(incoming);

/** Tells the client to send the body, if it is waiting for that. */
export function inviteBody(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (waiting.delete(incoming)) outgoing.writeContinue();
}

// A response given before the body was read reaches a client that is still sending only if the connection stays open for a while:
// if it is closed with unread bytes, the kernel discards the response. So the rest is read and dropped, up to a limit.
const LINGER_BYTES = 4 * 1024 * 1024;
const LINGER_MS = 2_000;

/** Returns true if the request announces a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Returns true if the rest of the body is certain to end within the limit, so that the connection can be kept. */
export function isShort({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return false;
  return Number(headers['content-length'] ?? 0) <= LINGER_BYTES;
}

/**
 * Reads one chunk of one dropped body per turn of the event loop. Refused senders can send gigabytes a second, and reading all of
 * that would delay other requests.
 */
const drops = new FairQueue({ maxRunning: 1, quantum: 1, later: (act) => act() });

/** Reads and drops the rest of a body. Calls `then` at its end, or when it is too long or too slow. */
export function dropRest(incoming: IncomingMessage, then: () => void): void {
  let left = LINGER_BYTES;
  const readOn = (): void => {
    incoming.pause();
    void drops.run('', 1, nextTurn).then(() => incoming.resume());
  };
  const onData = (chunk: Uint8Array): void => {
    left -= chunk.length;
    if (left < 0) done();
    else readOn();
  };
  const timer = setTimeout(() => done(), LINGER_MS);
  const done = (): void => {
    clearTimeout(timer);
    incoming.off('data', onData).off('end', done).off('close', done).off('error', done);
    then();
  };
  incoming.on('data', onData).on('end', done).on('close', done).on('error', done);
  readOn();
}

/**
 * Makes sure that a body ends, whether or not the handler reads it: drops the rest after the response, and closes the connection
 * of a body that has not arrived by the deadline.
 */
export function boundBody(incoming: IncomingMessage, outgoing: ServerResponse, deadlineMs: number): void {
  if (!hasBody(incoming)) return;
  const cutOff = (): void => {
    if (!incoming.complete) incoming.socket.destroySoon();
  };
  const timer = setTimeout(cutOff, deadlineMs);
  const disarm = (): void => clearTimeout(timer);
  incoming.once('end', disarm).once('close', disarm);
  outgoing.once('finish', () => {
    // A body that has arrived but that nobody reads never ends, so its timer would keep the process alive.
    disarm();
    if (!incoming.complete) dropRest(incoming, cutOff);
  });
}
