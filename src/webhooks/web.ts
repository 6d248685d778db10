import type { Receiver } from './receiver.js';
import { BodyConsumedError, RefusedError, tooLarge } from './receiver-errors.js';

/**
 * Makes a handler for frameworks and runtimes with `Request` and `Response`: Hono, Next route handlers, Bun, Deno, Cloudflare
 * Workers with `nodejs_compat`. If a runtime stops work after the response, pass its context: a handler that is still working is
 * passed to its `waitUntil`.
 *
 * @example
 * export const POST = toWebHandler(receiver);
 * app.post('/webhooks', (c) => handle(c.req.raw));
 */
export function toWebHandler(receiver: Receiver): (request: Request, context?: unknown) => Promise<Response> {
  return async (request, context) => {
    const { answer, settled } = await receiver.receive({
      method: request.method,
      headers: request.headers,
      body: (maxBytes, signal) => readWebBody(request, maxBytes, signal),
    });
    if (hasWaitUntil(context)) context.waitUntil(settled);
    return new Response(answer.body, { status: answer.status, headers: answer.headers });
  };
}

const hasWaitUntil = (context: unknown): context is { waitUntil(work: Promise<void>): void } =>
  typeof context === 'object' && context !== null && typeof Reflect.get(context, 'waitUntil') === 'function';

/** The part of a web `Request` that the receiver reads. */
interface WebBody {
  readonly bodyUsed: boolean;
  readonly body: ReadableStream<Uint8Array> | null;
}

const CURE =
  'Hand the request to the receiver before anything calls request.json() or request.text(), or hand over a ' +
  'request.clone() made before that';

/** Reads the bytes of an unread request. */
async function readWebBody(request: WebBody, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const { body } = request;
  if (request.bodyUsed || body?.locked) throw new BodyConsumedError(CURE);
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  // If the body is abandoned, it is cancelled. A failure to cancel it does not matter.
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel);
  try {
    return await readAll(reader, maxBytes);
  } catch (error) {
    cancel();
    throw error instanceof RefusedError ? error : new RefusedError(400, 'The connection ended before the body did');
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(part.value);
  }
  return Buffer.concat(chunks);
}
