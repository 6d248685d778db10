import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getResponse, type RequestHandler } from 'msw';
import { onTestFinished } from 'vitest';

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Starts a server on a free port of this machine. A client may disconnect before the listener has read everything. */
export async function startServer(listener: Listener): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer(async (request, response) => {
    try {
      await listener(request, response);
    } catch (error) {
      if (!request.errored) throw error;
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => close(server) };
}

/** Starts the same server, and closes it when the test ends. */
export async function serve(listener: Listener): Promise<string> {
  const { url, close } = await startServer(listener);
  onTestFinished(close);
  return url;
}

/**
 * Serves the handlers of msw over real sockets, because msw cannot see the connections of the separate undici package. The answer
 * `HttpResponse.error()` resets the connection.
 */
export const serveHandlers = (...handlers: RequestHandler[]): Promise<string> =>
  serve((incoming, outgoing) => {
    answer(handlers, incoming, outgoing).catch((error: unknown) => outgoing.destroy(error as Error));
  });

async function answer(handlers: RequestHandler[], incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body = await bytesOf(incoming);
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method ?? 'GET',
    headers: Object.entries(incoming.headers) as [string, string][],
    ...(body.length === 0 ? {} : { body }),
  });
  const response = await getResponse(handlers, request);
  if (response === undefined || response.type === 'error') {
    incoming.socket.resetAndDestroy();
    return;
  }
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(new Uint8Array(await response.arrayBuffer()));
}

export async function bytesOf(incoming: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
