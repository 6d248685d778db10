import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { openPool, type PooledRequest } from '../../base/http/connections.js';
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
 * Makes a transport on undici's connections, which are kept alive and follow no redirects.
 *
 * @param sendElsewhere sends a request that undici cannot send; without WebAssembly, for example, undici loads and then fails
 */
export async function undiciTransport(
  options: HttpTransportOptions,
  sendElsewhere: Send,
  loadParts = undiciParts,
): Promise<HttpTransport> {
  const { origin, concurrency: connections, proxy } = options;
  const connector = proxy && new ProxyConnector({ ...options, proxy });
  const parts = await loadParts();
  const connect = connector?.createConnection ?? parts.buildConnector(connectionOptions(options));
  const pool = openPool(parts, origin, { connections, headersTimeout: 0, bodyTimeout: 0, connect });
  return {
    send: forwarded(options, (outgoing) => {
      const { url, target = url.slice(origin.length), headers, body } = outgoing;
      const request: PooledRequest = { method: 'POST', path: target, headers, body };
      return new Promise((resolve, reject) => {
        pool.dispatch(request, new RequestExchange({ outgoing, request, sendElsewhere, resolve, reject }));
      });
    }),
    destroy() {
      // It rejects only running requests, which have been reported already.
      connector?.destroy();
      pool.destroy().catch(() => {});
    },
  };
}

/** Responses with these statuses consist of their head only, whatever the head says about a body. */
const BODILESS = [204, 304];

interface ExchangeParts {
  readonly outgoing: AbortableRequest;
  readonly request: PooledRequest;
  readonly sendElsewhere: Send;
  resolve(answer: TransportAnswer | Promise<TransportAnswer>): void;
  reject(error: Error): void;
}

/** One request and its response. The response is read to its end, because only then the connection can be reused. */
class RequestExchange implements Dispatcher.DispatchHandler {
  readonly #parts: ExchangeParts;
  readonly #body = new AnswerBody();
  #status = 0;
  #hasBegun = false;
  #headers: IncomingHttpHeaders = {};

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#hasBegun = true;
    const { outgoing } = this.#parts;
    // The request may have been abandoned while the connection was opened.
    if (outgoing.reason !== undefined) controller.abort(outgoing.reason);
    else outgoing.onAbort = (reason) => controller.abort(reason);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
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
    const { outgoing, request, sendElsewhere, resolve, reject } = this.#parts;
    const { connection } = request;
    if (BODILESS.includes(this.#status) && outgoing.reason === undefined) this.#answer();
    // All network failures have codes.
    else if (!this.#hasBegun && !('code' in error)) resolve(sendElsewhere(outgoing));
    else if (this.#status !== 0 || connection?.repeats(request, this, error) !== true) reject(error);
  }

  #answer(): void {
    this.#parts.resolve(this.#body.answer(this.#status, this.#headers));
  }
}
