import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { bytesOf } from './loopback.js';

export interface SecureCollector {
  readonly url: string;
  readonly port: number;
  /** The connections over which it got requests, each with the name in the client's certificate. */
  readonly clients: ReadonlyMap<TLSSocket, string>;
  readonly requests: () => number;
}

/** Starts an https collector that accepts everything. Closed when the test ends. */
export async function secureCollector(options: ServerOptions): Promise<SecureCollector> {
  const clients = new Map<TLSSocket, string>();
  let requests = 0;
  const server = createServer(options, async (request, response) => {
    requests++;
    const socket = request.socket as TLSSocket;
    clients.set(socket, String(socket.getPeerCertificate().subject?.CN));
    await bytesOf(request);
    response.end('{"success":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, port, clients, requests: () => requests };
}
