import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher, Pool } from 'undici';
import { openPool, type PooledRequest } from '../../base/http/connections.js';
import {
  type AbortableRequest,
  AnswerBody,
  forwarded,
  type HttpTransport,
  type HttpTransportOptions,
  type Send,
} from './http-transport.js';
import { proxyConnector } from './proxy-connector.js';
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
  const connector = proxy && proxyConnector(proxy, options);
  const parts = await loadParts();
  const connect = connector?.createConnection ?? parts.buildConnector(connectionOptions(options));
  const pool = openPool(parts, origin, { connections, headersTimeout: 0, bodyTimeout: 0, connect });
  return {
    send: forwarded(options, (outgoing) => {
      const { url, target = url.slice(origin.length), headers, body } = outgoing;
      return exchange(pool, { method: 'POST', path: target, headers, body }, outgoing, sendElsewhere);
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

/** Makes one request. The response is read to its end, because only then the connection can be reused. */
function exchange(
  pool: Pool,
  request: PooledRequest,
  outgoing: AbortableRequest,
  sendElsewhere: Send,
): Promise<TransportAnswer> {
  return new Promise((resolve, reject) => {
    const body = new AnswerBody();
    let status = 0;
    let hasBegun = false;
    let headers: IncomingHttpHeaders = {};
    const answer = (): void => resolve(body.answer(status, headers));
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        hasBegun = true;
        // The request may have been abandoned while the connection was opened.
        if (outgoing.reason !== undefined) controller.abort(outgoing.reason);
        else outgoing.onAbort = (reason) => controller.abort(reason);
      },
      onResponseStart(_, answered, answeredHeaders) {
        status = answered;
        headers = answeredHeaders;
      },
      onResponseData(controller, chunk) {
        if (body.add(chunk)) return;
        answer();
        controller.abort(new Error('The answer is too long'));
      },
      onResponseEnd() {
        if (request.connection !== undefined) request.connection.isReused = true;
        answer();
      },
      onResponseError(_, error) {
        if (BODILESS.includes(status) && outgoing.reason === undefined) answer();
        // All network failures have codes.
        else if (!hasBegun && !('code' in error)) resolve(sendElsewhere(outgoing));
        else if (status !== 0 || request.connection?.repeats(request, handler, error) !== true) reject(error);
      },
    };
    pool.dispatch(request, handler);
  });
}
