import { readWebBody } from './body/web-stream.js';
import type { Receiver } from './receiver.js';

/**
 * A handler for whatever speaks `Request` and `Response`: Hono, Next route handlers, Bun, Deno, Cloudflare Workers with
 * `nodejs_compat`. Where a runtime stops what goes on after the answer, hand on its context: a handler that is still at
 * work is given to the `waitUntil` in it.
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
