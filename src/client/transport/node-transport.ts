import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { isClosed } from '../../base/http/connections.js';
import {
  type AbortableRequest,
  AnswerBody,
  forwarded,
  type HttpTransport,
  type HttpTransportOptions,
} from './http-transport.js';
import { load } from './load-later.js';
import { proxyConnector } from './proxy-connector.js';
import { connectionOptions } from './route.js';
import type { TransportAnswer } from './transport.js';

/** Makes a transport on the connections of Node's own HTTP client. */
export function nodeTransport(options: HttpTransportOptions): HttpTransport {
  const { origin, concurrency, proxy } = options;
  const settings = { keepAlive: true, maxSockets: concurrency };
  const isSecure = origin.startsWith('https:');
  const connector = proxy && proxyConnector(proxy, options);
  const connecting = connector && { createConnection: connector.createConnection };
  let agent: Agent | undefined;
  let isDestroyed = false;
  return {
    send: forwarded(options, async (outgoing) => {
      const http = load(isSecure ? 'node:https' : 'node:http');
      agent ??= Object.assign(new http.Agent({ ...settings, ...connectionOptions(options) }), connecting);
      const { url, headers, target } = outgoing;
      for (;;) {
        const request = http.request(url, {
          method: 'POST',
          headers: { ...headers },
          agent,
          ...(target && { path: target }),
        });
        try {
          return await exchange(outgoing, request);
        } catch (error) {
          if (isDestroyed || !wasClosedBefore(request, error)) throw error;
        }
      }
    }),
    destroy() {
      isDestroyed = true;
      connector?.destroy();
      agent?.destroy();
    },
  };
}

/** Returns true if the server closed a reused connection, which we had not noticed yet, before it saw this request. */
const wasClosedBefore = ({ reusedSocket }: ClientRequest, error: unknown): boolean =>
  reusedSocket && error instanceof Error && isClosed(error);

function exchange(outgoing: AbortableRequest, request: ClientRequest): Promise<TransportAnswer> {
  return new Promise((resolve, reject) => {
    const abort = (reason: Error): void => void request.destroy(reason);
    if (outgoing.reason !== undefined) abort(outgoing.reason);
    else outgoing.onAbort = abort;
    let answer: IncomingMessage | undefined;
    request.on('error', (error) => {
      // Bytes after a complete response are not part of it.
      if (answer?.complete !== true) reject(error);
    });
    request.on('response', (response) => {
      answer = response;
      read(response).then(resolve, reject);
    });
    request.end(outgoing.body);
  });
}

/** Reads a response to its end, because only then the connection can be reused. */
function read(response: IncomingMessage): Promise<TransportAnswer> {
  return new Promise((resolve, reject) => {
    const { statusCode: status = 0, headers } = response;
    const body = new AnswerBody();
    const answer = (): void => resolve(body.answer(status, headers));
    response.on('data', (chunk: Uint8Array) => {
      if (body.add(chunk)) return;
      answer();
      response.destroy();
    });
    response.on('end', answer);
    // With its own code, the error would be mistaken for a connection that was closed before.
    response.on('error', (cause) => reject(new Error('The answer broke off', { cause })));
  });
}
