import { isRaw } from '../signature/bytes.js';
import { discardRest, isConsumed, type NodeStream, readStream } from './node-stream.js';
import type { BodyReader } from './read-body.js';
import type { Receiver } from './receiver.js';

/** A request of node:http, or of a framework that builds on it. */
export interface NodeRequest extends NodeStream {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Where some platforms and body parsers leave the bytes they have read. */
  readonly rawBody?: unknown;
  /** Where `express.raw()` leaves them. */
  readonly body?: unknown;
}

export interface NodeResponse {
  readonly headersSent: boolean;
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

/** What node:http calls for each request, and Express for those of a route. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse) => Promise<void>;

const CURE =
  "Mount the receiver before express.json(), or put express.raw({ type: 'application/json' }) on its route instead";

/**
 * A request listener for node:http, and a handler for an Express route.
 *
 * @example
 * http.createServer(toNodeHandler(receiver)).listen(3000);
 * app.post('/webhooks', toNodeHandler(receiver)); // before app.use(express.json())
 */
export function toNodeHandler(receiver: Receiver): NodeHandler {
  return async (request, response) => {
    const { method = '', headers } = request;
    const { answer } = await receiver.receive({ method, headers, body: rawBodyOf(request, CURE) });
    // Something else, a timeout for one, may have answered in the meantime.
    if (response.headersSent) return;
    response.writeHead(answer.status, { ...answer.headers });
    response.end(answer.body);
    discardRest(request);
  };
}

/**
 * The bytes that were kept, or what reads those that still wait. `body` is looked at last: on some platforms it is a
 * getter that parses.
 */
export function rawBodyOf(request: NodeRequest, cure: string): string | Uint8Array | BodyReader {
  if (isRaw(request.rawBody)) return request.rawBody;
  if (isConsumed(request) && isRaw(request.body)) return request.body;
  return (maxBytes, signal) => readStream(request, maxBytes, signal, cure);
}
