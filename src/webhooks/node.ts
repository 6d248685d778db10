import { checkValues, isFunction, type Rule, required } from '../base/options/check-options.js';
import { isRaw } from '../signature/bytes.js';
import { discardRest, isConsumed, type NodeStream, readStream } from './node-stream.js';
import type { BodyReader } from './read-body.js';
import type { Receiver } from './receiver.js';

/** A request of `node:http` or of a framework based on it. */
export interface NodeRequest extends NodeStream {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Some platforms and body parsers leave the bytes here. */
  readonly rawBody?: unknown;
  /** `express.raw()` leaves the bytes here. */
  readonly body?: unknown;
}

export interface NodeResponse {
  readonly headersSent: boolean;
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

const madeReceiver: Rule = {
  expected: 'what createReceiver() returns',
  holds: (value) => isFunction((value as Partial<Receiver> | null)?.receive),
};

/** The listener, for `http.createServer` or an Express route. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse) => Promise<void>;

const CURE =
  "Mount the receiver before express.json(), or put express.raw({ type: 'application/json' }) on its route instead";

/**
 * Makes a request listener for `node:http`, which is also a handler for an Express route.
 *
 * @throws OptionError if `receiver` was not made by `createReceiver`
 *
 * @example
 * http.createServer(toNodeHandler(receiver)).listen(3000);
 * app.post('/webhooks', toNodeHandler(receiver)); // before app.use(express.json())
 */
export function toNodeHandler(receiver: Receiver): NodeHandler {
  checkValues({ receiver }, { receiver: required(madeReceiver) }, { door: 'webhooks' });
  return async (request, response) => {
    const { method = '', headers } = request;
    const { answer } = await receiver.receive({ method, headers, body: rawBodyOf(request, CURE) });
    // Something else, such as a timeout, may have responded in the meantime.
    if (response.headersSent) return;
    response.writeHead(answer.status, { ...answer.headers });
    response.end(answer.body);
    discardRest(request);
  };
}

/**
 * Returns the bytes that a framework kept, or a function that reads them. `body` is read last, because on some platforms it is a
 * getter that parses.
 */
export function rawBodyOf(request: NodeRequest, cure: string): string | Uint8Array | BodyReader {
  if (isRaw(request.rawBody)) return request.rawBody;
  if (isConsumed(request) && isRaw(request.body)) return request.body;
  return (maxBytes, signal) => readStream(request, maxBytes, signal, cure);
}
