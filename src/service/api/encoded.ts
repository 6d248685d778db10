import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'hono';

/** A smaller answer fits in one packet of the network as it is. */
const LEAST_BYTES = 1_024;

/** A thread of libuv encodes, so that nothing else waits for it. At a higher quality, twice the time would not save a tenth more. */
export const ENCODERS = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 5 }),
} as const;
type Encoding = keyof typeof ENCODERS;

/**
 * Answers in an encoding that the caller takes, with a tag of the content: 304 without a body when the caller has the
 * same content already. The tag is weak, because each encoding has bytes of its own.
 */
export async function encodedAnswer(context: Context, text: string, contentType: string): Promise<Response> {
  const tag = `W/"${createHash('sha1').update(text).digest('base64url')}"`;
  const headers: Record<string, string> = { ETag: tag, Vary: 'Accept-Encoding', 'Content-Type': contentType };
  if (isTagged(context.req.header('if-none-match'), tag)) return context.body(null, 304, headers);
  const bytes = Buffer.from(text);
  const encoding = encodingFor(bytes, context.req.header('accept-encoding'));
  if (encoding === undefined) return context.body(text, 200, headers);
  const encoded = await ENCODERS[encoding](bytes);
  // A buffer of zlib has memory of its own, which a response's body has to have.
  return context.body(encoded as Buffer<ArrayBuffer>, 200, { ...headers, 'Content-Encoding': encoding });
}

const isTagged = (given: string | undefined, tag: string): boolean =>
  (given ?? '').split(',').some((each) => each.trim() === tag);

/** Returns our first encoding that the header accepts; undefined when the answer is short or none is accepted. */
export function encodingFor(bytes: Buffer, accepted = ''): Encoding | undefined {
  if (bytes.length < LEAST_BYTES) return undefined;
  const taken = accepted
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .filter((each) => !/;\s*q=0(?:\.0*)?$/.test(each))
    .map((each) => each.split(';', 1)[0]);
  return (Object.keys(ENCODERS) as Encoding[]).find((each) => taken.includes(each));
}
