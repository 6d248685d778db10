import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { inviteBody } from '../../collector/request-body.js';
import { refusals } from './refusals.js';

/** How long the next bytes of a body may take to arrive, in ms. */
const IDLE_MS = 60_000;

/**
 * Returns the decompressed bytes of a request's body. They are read only as fast as the caller consumes them. If the caller stops
 * early, the rest is read and dropped, so that the sender gets to read the answer.
 *
 * @throws ApiRefusal
 */
export function uploadOf(context: Context): AsyncIterable<Uint8Array> {
  const encoding = (context.req.header('content-encoding') ?? 'identity').trim().toLowerCase();
  // Node's own request costs less than a web stream around it. `handlerOf` passes it on with every request.
  const chunks = chunksOf(context.env);
  if (encoding === 'gzip' || encoding === 'x-gzip') return gunzip(chunks);
  if (encoding === 'identity') return chunks;
  throw refusals.unsupportedEncoding();
}

async function* chunksOf({ incoming, outgoing }: HttpBindings): AsyncGenerator<Uint8Array> {
  inviteBody(incoming, outgoing);
  const chunks: AsyncIterator<Uint8Array> = incoming.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const { done, value } = await nextOf(chunks, incoming);
      if (done) return;
      yield value;
    }
  } finally {
    await chunks.return?.();
    // From here on the sender may disconnect without causing an error.
    incoming.on('error', () => {}).resume();
  }
}

async function nextOf(
  chunks: AsyncIterator<Uint8Array>,
  incoming: IncomingMessage,
): Promise<IteratorResult<Uint8Array>> {
  const timer = setTimeout(() => incoming.destroy(new Error('The body stopped arriving')), IDLE_MS);
  try {
    return await chunks.next();
  } catch (cause) {
    throw refusals.brokenOff(cause);
  } finally {
    clearTimeout(timer);
  }
}

async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const unpacked = createGunzip();
  const fed = pipeline(chunks, unpacked);
  // A failure is thrown below, where the bytes are read.
  fed.catch(() => {});
  try {
    for await (const chunk of unpacked) yield chunk as Uint8Array;
  } catch (error) {
    throw isOfZlib(error) ? refusals.invalidEncoding(error) : error;
  } finally {
    unpacked.destroy();
    await fed.catch(() => {});
  }
}

const isOfZlib = (error: unknown): boolean => /^Z_/.test((error as NodeJS.ErrnoException).code ?? '');

/** @throws ApiRefusal when there are more than `maxBytes` bytes */
export async function readAll(chunks: AsyncIterable<Uint8Array>, maxBytes: number, hint?: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw refusals.bodyTooLarge(maxBytes, hint);
    parts.push(chunk);
  }
  return Buffer.concat(parts, bytes);
}
