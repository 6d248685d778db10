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
async function readWebBody(request: WebBody, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const { body } = request;
  if (request.bodyUsed || body?.locked) throw new BodyConsumedError(CURE);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  await new Promise<unknown>((resolve, reject) => {
    const collecting = new WritableStream<Uint8Array>({
      write(chunk) {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes <= maxBytes) return;
        // The pipe ends only after the body is cancelled, which for a clone is when the original request is cancelled too.
        reject(tooLarge(maxBytes));
        throw tooLarge(maxBytes);
      },
    });
    const brokenOff = (): void => reject(new RefusedError(400, 'The connection ended before the body did'));
    (body?.pipeTo(collecting, { signal }) ?? Promise.resolve()).then(resolve, brokenOff);
  });
  return Buffer.concat(chunks);
}
