import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { noteExpectation } from './request-body.js';

export type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

interface Timeouts {
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
}

/** Longer than the minute for which load balancers keep a connection, so that they close it and not the server. */
const KEEP_ALIVE_MS = 65_000;

/** Makes a node:http server with deadlines for slow senders. It answers with JSON where node itself would send an empty error. */
export function createHttpServer(handler: Handler, { headersTimeout, bodyTimeout }: Timeouts): Server {
  const server = createServer(
    {
      headersTimeout,
      // This deadline never comes first: the one for the body does, and answers in our own words.
      requestTimeout: headersTimeout + bodyTimeout + 5_000,
      connectionsCheckingInterval: Math.min(headersTimeout, 1_000),
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    handler,
  );
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    noteExpectation(incoming);
    handler(incoming, outgoing);
  });
  server.on('checkExpectation', handler);
  server.on('clientError', answerClientError);
  return server;
}

export async function startListening(server: Server, port: number, host: string): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // The address is a string only for pipes, and null only for a server that does not listen.
  return server.address() as AddressInfo;
}

/** Returns the URL at which this machine reaches the server. */
export function urlOf({ address, port, family }: AddressInfo): string {
  const reachable = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  return `http://${family === 'IPv6' ? `[${reachable}]` : reachable}:${port}`;
}

const CLIENT_ERRORS = new Map([
  ['HPE_HEADER_OVERFLOW', ['431 Request Header Fields Too Large', 'headers_too_large', 'The headers are too large']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'request_timeout', 'The request took too long to arrive']],
]);
const MALFORMED = ['400 Bad Request', 'malformed_request', 'The request is not valid HTTP'];

function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, code, message] = CLIENT_ERRORS.get(error.code ?? '') ?? MALFORMED;
  const body = JSON.stringify({ code, message });
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  socket.write(`${head}\r\nConnection: close\r\n\r\n${body}`);
  socket.destroySoon();
}
