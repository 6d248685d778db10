import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { httpErrors } from './http-error.js';

type Encoding = 'identity' | 'gzip' | 'deflate' | 'br';

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

// A client that compresses without saying so; no JSON begins with these bytes.
const isGzip = (body: Uint8Array): boolean => body[0] === 0x1f && body[1] === 0x8b;

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
