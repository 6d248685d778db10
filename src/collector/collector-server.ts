import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { noteExpectation } from './request-body.js';

export type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

interface Timeouts {
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
}

/** Longer than the minute that load balancers keep a connection, so that it is they who close it. */
const KEEP_ALIVE_MS = 65_000;

/** node:http with deadlines for silent senders, and JSON where node itself would refuse with an empty answer. */
export function createHttpServer(handler: Handler, { headersTimeout, bodyTimeout }: Timeouts): Server {
  const server = createServer(
    {
      headersTimeout,
      // This never comes first: the deadline for the body answers in our own words.
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
  // It is a string only for pipes, and null only for a server that does not listen.
  return server.address() as AddressInfo;
}

/** The URL this machine reaches the server at. */
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
