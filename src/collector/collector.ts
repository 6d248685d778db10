import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { checkOptions, integer, type Rules } from '../base/options/check-options.js';
import { type CollectorOptions, resolveOptions } from './collector-options.js';
import { createHandler, mounted, straightened } from './collector-routes.js';
import { createHttpServer, type Handler, startListening, urlOf } from './collector-server.js';
import { RequestHandler } from './handle-request.js';
import { toFetch } from './web.js';

export interface ListenOptions {
  /** The port; 0 chooses any free one. @default 4100 */
  port?: number | undefined;
  /** The address to bind to; `0.0.0.0` binds to every address of the machine. @default 127.0.0.1 */
  host?: string | undefined;
}

export const LISTEN_RULES: Rules<ListenOptions> = {
  port: integer(0, 65_535),
  host: { expected: 'a non-empty string', holds: (host) => typeof host === 'string' && host !== '' },
};

/**
 * An HTTP endpoint that accepts messages from any client of the protocol. Give it a port with `listen`, or mount `handler` in a
 * server of your own, or `fetch` where requests are web-standard.
 *
 * @example
 * const collector = new Collector({
 *   sources: [{ name: 'website', writeKey: 'dev' }],
 *   onMessages: async (messages, source) => store(source.name, messages),
 * });
 * const { url } = await collector.listen({ port: 4100 });
 *
 * @throws OptionError
 */
export class Collector {
  /** A listener for node:http, Express, Fastify and the like, at any path. No other code may have read the body. */
  readonly handler: (req: IncomingMessage, res: ServerResponse) => void;
  /**
   * The handler for frameworks and runtimes with `Request` and `Response`: Hono, Next route handlers, Bun, Deno. No other code
   * may have read the body.
   */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The handler for a server that has already put the target in its usual form. @internal */
  readonly atRoot: Handler;
  readonly #requests: RequestHandler;
  readonly #timeouts: { headersTimeout: number; bodyTimeout: number };
  #server: Server | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: CollectorOptions) {
    const resolved = resolveOptions(options);
    const { headersTimeout, bodyTimeout } = resolved;
    this.#timeouts = { headersTimeout, bodyTimeout };
    this.#requests = new RequestHandler(resolved);
    this.atRoot = createHandler(this.#requests, { withMetrics: true });
    this.handler = mounted(resolved.metrics ? this.atRoot : createHandler(this.#requests, { withMetrics: false }));
    this.fetch = toFetch(this.handler);
  }

  /**
   * Returns the text of `/metrics`.
   *
   * @internal
   */
  metricsText(): Promise<string> {
    return this.#requests.metrics.text();
  }

  /**
   * Starts a server of the collector's own.
   *
   * @throws OptionError, and what node:http throws, such as an error with the code `EADDRINUSE`.
   */
  async listen(options: ListenOptions = {}): Promise<{ url: string; port: number }> {
    const check = { door: 'collector', example: 'listen({ port: 4100 })' } as const;
    const { port = 4100, host = '127.0.0.1' } = checkOptions(options, LISTEN_RULES, check);
    if (this.#closed !== undefined) throw new Error('The collector is closed');
    if (this.#server !== undefined) throw new Error('The collector is already listening');
    const server = createHttpServer(straightened(this.atRoot), this.#timeouts);
    this.#server = server;
    try {
      const address = await startListening(server, port, host);
      return { url: urlOf(address), port: address.port };
    } catch (error) {
      this.#server = undefined;
      throw error;
    }
  }

  /**
   * Finishes the running requests, answers new ones 503, and resolves when they are done. Can be called repeatedly. Waits for
   * `onMessages` without a time limit.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#requests.isClosed = true;
    const { underWay } = this.#requests;
    const server = this.#server;
    const stopped = server && new Promise<void>((resolve) => server.close(() => resolve()));
    underWay.closeConnections();
    await underWay.idle();
    // The remaining connections have sent no complete request.
    server?.closeAllConnections();
    await stopped;
  }
}
