import { checkOptions, internal, type Rules, text } from '../base/options/check-options.js';
import { discardRest, type NodeStream, readStream } from './node-stream.js';
import type { Receiver } from './receiver.js';

/** The part of a Fastify instance that the plugin uses. */
export interface FastifyScope {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: NodeStream, done: (error: null, body: unknown) => void) => void,
  ): unknown;
  post(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): unknown;
}

interface FastifyRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly raw: NodeStream;
}

interface FastifyReply {
  code(status: number): unknown;
  headers(headers: Record<string, string>): unknown;
  send(body: string): unknown;
}

export interface FastifyPluginOptions {
  /** The path of deliveries, below the `prefix` of `register`. @default '/' */
  path?: string | undefined;
}

/** The plugin, for `register`. */
export type FastifyPlugin = (scope: FastifyScope, options: FastifyPluginOptions) => Promise<void>;

/** Includes the options that `register` itself reads, because Fastify passes them on. */
const RULES: Rules<FastifyPluginOptions & Record<'prefix' | 'logLevel' | 'logSerializers', unknown>> = {
  path: text,
  prefix: internal,
  logLevel: internal,
  logSerializers: internal,
};

const CURE = 'Register the plugin outside of the scope whose hook reads the body';

/**
 * Makes a Fastify plugin with a POST route. Body parsers are removed only inside the plugin, so that the bytes of a delivery stay
 * unchanged.
 *
 * @example
 * app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' });
 */
export function toFastifyPlugin(receiver: Receiver): FastifyPlugin {
  return async (scope, options) => {
    const check = { door: 'webhooks', example: "register(plugin, { path: '/' })" } as const;
    const { path = '/' } = checkOptions(options, RULES, check);
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    scope.post(path, async ({ method, headers, raw }, reply) => {
      const { answer } = await receiver.receive({
        method,
        headers,
        body: (maxBytes, signal) => readStream(raw, maxBytes, signal, CURE),
      });
      reply.code(answer.status);
      reply.headers({ ...answer.headers });
      discardRest(raw);
      return reply.send(answer.body);
    });
  };
}
