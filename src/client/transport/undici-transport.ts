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
    send: forwarded(options, async (outgoing) => {
      const { url, target = url.slice(origin.length), headers, body } = outgoing;
      const request: PoolRequest = { method: 'POST', path: target, headers, body };
      for (;;) {
        const answer = await exchange(outgoing, request, pool);
        if (answer === UNREADABLE) return sendElsewhere(outgoing);
        if (answer !== CLOSED_BEFORE) return answer;
      }
    }),
    destroy() {
      // It rejects only requests that were running, which have been told already.
      connector?.destroy();
      pool.destroy().catch(() => {});
    },
  };
}

/** The server had closed the connection before the request, and we had not seen it yet: the same request is sent again. */
const CLOSED_BEFORE = 'closed before';

/** The collector began with a `100 Continue`, which undici takes for an error, and then cuts the connection. */
const UNREADABLE = 'unreadable';

type Exchanged = TransportAnswer | typeof CLOSED_BEFORE | typeof UNREADABLE;

const exchange = (outgoing: AbortableRequest, request: PoolRequest, pool: Pool): Promise<Exchanged> =>
  new Promise((resolve, reject) => {
    pool.dispatch(request, new Answering(outgoing, request, resolve, reject));
  });

const CLOSED = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

const isClosed = (error: Error): boolean => 'code' in error && CLOSED.includes(String(error.code));

const isUnaskedContinue = (error: Error): boolean => isClosed(error) && error.message === 'bad response';

/** These answers are their head alone, whatever that says of a body, or comes behind it. */
const BODILESS = [204, 304];

/** Puts the answer to one request together. It reads to the end, because only then the connection can be used again. */
class Answering implements Dispatcher.DispatchHandler {
  readonly #outgoing: AbortableRequest;
  readonly #request: PoolRequest;
  readonly #resolve: (exchanged: Exchanged) => void;
  readonly #reject: (error: Error) => void;
  readonly #body = new AnswerBody();
  #status = 0;
  #headers: TransportAnswer['headers'];

  constructor(
    outgoing: AbortableRequest,
    request: PoolRequest,
    resolve: (exchanged: Exchanged) => void,
    reject: (error: Error) => void,
  ) {
    this.#outgoing = outgoing;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // It may have been given up while the connection was made.
    if (this.#outgoing.reason !== undefined) controller.abort(this.#outgoing.reason);
    else this.#outgoing.onAbort = (reason) => controller.abort(reason);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: TransportAnswer['headers']): void {
    this.#mark(false);
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#body.add(chunk)) return;
    this.#answer();
    controller.abort(new Error('The answer is too long'));
  }

  onResponseEnd(): void {
    this.#mark(true);
    this.#answer();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (BODILESS.includes(this.#status) && this.#outgoing.reason === undefined) this.#answer();
    else if (isUnaskedContinue(error)) this.#resolve(UNREADABLE);
    else if (this.#request.connection?.isReused && isClosed(error)) this.#resolve(CLOSED_BEFORE);
    else this.#reject(error);
  }

  #mark(isReused: boolean): void {
    if (this.#request.connection !== undefined) this.#request.connection.isReused = isReused;
  }

  #answer(): void {
    const [body, truncated] = [this.#body.text(), this.#body.isTruncated];
    this.#resolve({ status: this.#status, headers: this.#headers, body, truncated });
  }
}

/** A connection of a pool, as far as its requests must know it. */
export interface Connection {
  /** True when it has given a whole answer, and no part of another since. */
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
