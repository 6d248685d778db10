import { type NodeRequest, rawBodyOf } from './node.js';
import { discardRest } from './node-stream.js';
import type { Receiver } from './receiver.js';

/** The part of a Koa context that the middleware uses. */
export interface KoaContext {
  readonly request: {
    readonly req: NodeRequest;
    /** Koa's body parsers leave the text here. */
    readonly rawBody?: unknown;
  };
  status: number;
  body: unknown;
  set(headers: Record<string, string>): unknown;
}

/** The middleware, for `app.use`. */
export type KoaMiddleware = (context: KoaContext) => Promise<void>;

const CURE = 'Mount the receiver before the body parser';

/**
 * Makes a Koa middleware that answers every request it gets.
 *
 * @example
 * const webhooks = toKoaMiddleware(receiver);
 * app.use((ctx, next) => (ctx.path === '/webhooks' ? webhooks(ctx) : next()));
 */
export function toKoaMiddleware(receiver: Receiver): KoaMiddleware {
  return async (context) => {
    const { req, rawBody } = context.request;
    const { method = '', headers } = req;
    const body = typeof rawBody === 'string' ? rawBody : rawBodyOf(req, CURE);
    const { answer } = await receiver.receive({ method, headers, body });
    context.status = answer.status;
    context.set({ ...answer.headers });
    context.body = answer.body;
    discardRest(req);
  };
}
