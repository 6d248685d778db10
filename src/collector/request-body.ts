import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { FairQueue } from '../base/structures/fair-queue.js';
import type { Lease } from './byte-budget.js';
import { type HttpError, httpErrors } from './http-error.js';

export interface BodyBounds {
  /** The largest body as it comes over the wire. */
  readonly maxBytes: number;
  /** It holds for the whole body, so that a sender of one byte a second is cut off too. */
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

export type Encoding = 'identity' | 'gzip' | 'deflate' | 'br';

const ENCODINGS = new Map<string, Encoding>([
  ['', 'identity'],
  ['identity', 'identity'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
]);

/** @throws Refusal when it is none that `decode` can undo. */
export function encodingOf(header: string | undefined): Encoding {
  const encoding = ENCODINGS.get((header ?? '').trim().toLowerCase());
  if (encoding === undefined) throw httpErrors.unsupportedEncoding();
  return encoding;
}

/**
 * Undoes the encoding, and stops where the result would pass `maxBytes`: a bomb is never inflated whole. Done on the
 * spot, since the bound keeps it to a millisecond or two and handing it to another thread costs more.
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

// A client may compress without saying so; no JSON begins with these bytes.
const isGzip = (body: Uint8Array): boolean => body[0] === 0x1f && body[1] === 0x8b;

/** A body of so many bytes is opened in well under a millisecond; a compressed one may become a hundred times as large. */
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
  // `deflate` means zlib's format (RFC 9110), but some clients send the bare stream. Zlib's first byte ends in an 8.
  return ((body[0] ?? 0) & 0x0f) === 8 ? inflateSync(body, limits) : inflateRawSync(body, limits);
}

const waiting = new WeakSet<IncomingMessage>();

/** Notes that the client holds its body back until it is told to go on. */
export const noteExpectation = (incoming: IncomingMessage): void => {
  waiting.add(incoming);
};

export const awaitsContinue = (incoming: IncomingMessage): boolean => waiting.has(incoming);

/** Asks for the body, if the client holds it back. */
export function inviteBody(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (waiting.delete(incoming)) outgoing.writeContinue();
}

// An answer given before the body was read only reaches a client that is still sending if the connection stays open for
// a while: closing it with unread bytes makes the kernel throw the answer away. So the rest is read and dropped, but not
// for ever.
const LINGER_BYTES = 4 * 1024 * 1024;
const LINGER_MS = 2_000;

/** Tells whether the request announces a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Tells whether the rest of the body is sure to end within the bound, so that the connection can go on. */
export function isShort({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return false;
  return Number(headers['content-length'] ?? 0) <= LINGER_BYTES;
}

/**
 * Reads a chunk of one dropped body in each turn of the event loop. Senders who are refused can send gigabytes a second, and reading
 * all of that would hold up the requests of others.
 */
const drops = new FairQueue({ maxRunning: 1, quantum: 1, later: (act) => act() });

/** Reads and drops the rest of a body, then calls back: at its end, or when it is too long or too slow. */
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
 * Brings a body to its end, whether or not the handler that answers reads it: drops the rest after the answer, and cuts the
 * connection of a body that has not come by the deadline.
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
    // A body that has come and that nobody reads never ends, so its timer would keep the process alive.
    disarm();
    if (!incoming.complete) dropRest(incoming, cutOff);
  });
}
