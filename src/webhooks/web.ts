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

/** Reads the bytes of an unread request. A body that is too large, or too late, is cancelled. */
async function readWebBody({ body, bodyUsed }: WebBody, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  if (bodyUsed || body?.locked) throw new BodyConsumedError(CURE);
  const reader = body?.getReader();
  // This is not awaited, because a cancelled clone ends only when the original request is cancelled too.
  const cancel = (): void => void reader?.cancel().catch(() => {});
  signal.addEventListener('abort', cancel);
  const chunks: Uint8Array[] = [];
  try {
    for (let bytes = 0; bytes <= maxBytes; ) {
      const read = await reader?.read().catch(() => {
        throw new RefusedError(400, 'The connection ended before the body did');
      });
      if (read === undefined || read.done) return Buffer.concat(chunks);
      bytes += read.value.length;
      chunks.push(read.value);
    }
    cancel();
    throw tooLarge(maxBytes);
  } finally {
    reader?.releaseLock();
  }
}
