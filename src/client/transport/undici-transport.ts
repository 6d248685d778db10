import type { Client, Dispatcher, Pool } from 'undici';
import {
  type AbortableRequest,
  AnswerBody,
  forwarded,
  type HttpTransport,
  type HttpTransportOptions,
  type Send,
} from './http-transport.js';
import { ProxyConnector } from './proxy-connector.js';
import { connectionOptions } from './route.js';
import type { TransportAnswer } from './transport.js';
import { undiciParts } from './undici-parts.js';

/**
 * undici's own connections, kept alive, no redirects followed.
 *
 * @param sendElsewhere sends a request whose answer undici cannot read: before it comes a `100 Continue` that nobody asked for
 */
export async function undiciTransport(options: HttpTransportOptions, sendElsewhere: Send): Promise<HttpTransport> {
  const { origin, concurrency: connections, proxy } = options;
  const connector = proxy && new ProxyConnector({ ...options, proxy });
  const connect = connector?.createConnection ?? connectionOptions(options);
  const pool = await createPool(origin, { connections, headersTimeout: 0, bodyTimeout: 0, connect });
  return {
    send: forwarded(options, (outgoing) => {
      const { url, target = url.slice(origin.length), headers, body } = outgoing;
      const request: PoolRequest = { method: 'POST', path: target, headers, body };
      return new Promise((resolve, reject) => {
        new Exchange({ outgoing, request, pool, sendElsewhere, resolve, reject }).begin();
      });
    }),
    destroy() {
      // It rejects only requests that were running, which have been told already.
      connector?.destroy();
      pool.destroy().catch(() => {});
    },
  };
}

const CLOSED = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

const isClosed = (error: Error): boolean => 'code' in error && CLOSED.includes(String(error.code));

/** The collector began with a `100 Continue`, which undici takes for an error, and then cuts the connection. */
const isUnaskedContinue = (error: Error): boolean => isClosed(error) && error.message === 'bad response';

/** These answers are their head alone, whatever that says of a body, or comes behind it. */
const BODILESS = [204, 304];

interface ExchangeParts {
  readonly outgoing: AbortableRequest;
  readonly request: PoolRequest;
  readonly pool: Pool;
  /** Sends a request whose answer undici cannot read. */
  readonly sendElsewhere: Send;
  resolve(answer: TransportAnswer | Promise<TransportAnswer>): void;
  reject(error: Error): void;
}

/** One request, and its answer, which is read to the end, because only then the connection can be used again. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #parts: ExchangeParts;
  readonly #body = new AnswerBody();
  #status = 0;
  #headers: TransportAnswer['headers'];

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
  }

  begin(): void {
    this.#parts.pool.dispatch(this.#parts.request, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { outgoing } = this.#parts;
    // It may have been given up while the connection was made.
    if (outgoing.reason !== undefined) controller.abort(outgoing.reason);
    else outgoing.onAbort = (reason) => controller.abort(reason);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: TransportAnswer['headers']): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#body.add(chunk)) return;
    this.#answer();
    controller.abort(new Error('The answer is too long'));
  }

  onResponseEnd(): void {
    const { connection } = this.#parts.request;
    if (connection !== undefined) connection.isReused = true;
    this.#answer();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const { outgoing, sendElsewhere, resolve, reject } = this.#parts;
    if (BODILESS.includes(this.#status) && outgoing.reason === undefined) this.#answer();
    else if (isUnaskedContinue(error)) resolve(sendElsewhere(outgoing));
    else if (isClosed(error) && this.#wasClosedBefore) queueMicrotask(() => this.begin());
    else reject(error);
  }

  /** True when the server had closed the connection before the request, and we had not seen it yet. */
  get #wasClosedBefore(): boolean {
    return this.#status === 0 && this.#parts.request.connection?.isReused === true;
  }

  #answer(): void {
    const [body, truncated] = [this.#body.text(), this.#body.isTruncated];
    this.#parts.resolve({ status: this.#status, headers: this.#headers, body, truncated });
  }
}

/** A connection of a pool, as far as its requests must know it. */
export interface Connection {
  /** True when it has given a whole answer. */
  isReused: boolean;
}

/** A request that is told which connection it goes over. */
type PoolRequest = Dispatcher.DispatchOptions & { connection?: Connection };

/** undici's pool of connections. */
export async function createPool(origin: string, options: Pool.Options): Promise<Pool> {
  const { Pool, Client } = await undiciParts();
  // Each client of a pool is one connection at a time.
  const factory = ({ origin }: URL, settings: object): Dispatcher => telling(new Client(origin, settings));
  return new Pool(origin, { ...options, factory });
}

function telling(client: Client): Client {
  const connection: Connection = { isReused: false };
  client.on('disconnect', () => {
    connection.isReused = false;
  });
  const dispatch = client.dispatch.bind(client);
  client.dispatch = (request: PoolRequest, handler) => {
    request.connection = connection;
    return dispatch(request, handler);
  };
  return client;
}
