import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Certificate } from './certificates.js';

export interface ProxyServer {
  /** The URL without credentials. */
  readonly url: string;
  readonly host: string;
  /**
   * The requests in the order in which they came, including refused ones: `CONNECT 127.0.0.1:443`, `POST
   * http://127.0.0.1/v1/batch`.
   */
  readonly asked: string[];
  /** The connections that are open. */
  readonly sockets: ReadonlySet<Socket>;
}

export interface ProxyBehaviour {
  /** The `user:password` that a request needs. Without it the proxy answers 407. */
  readonly credentials?: string;
  /** The status of the answer to CONNECT. */
  readonly status?: number;
  /** Called instead of answering CONNECT. */
  readonly onConnect?: (socket: Socket) => void;
  /** With a certificate, it is an https proxy. */
  readonly certificate?: Certificate;
}

/**
 * Starts a proxy like those of companies: it opens tunnels for CONNECT, and forwards requests for a whole URL. Closed when the
 * test ends.
 */
export async function startProxy(behaviour: ProxyBehaviour = {}): Promise<ProxyServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const { credentials, certificate, status = 200, onConnect } = behaviour;
  const isAllowed = ({ headers }: IncomingMessage): boolean =>
    credentials === undefined ||
    headers['proxy-authorization'] === `Basic ${Buffer.from(credentials).toString('base64')}`;
  const server: Server = certificate === undefined ? createServer() : createSecureServer({ ...certificate });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  });
  server.on('request', (incoming, outgoing) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    if (!isAllowed(incoming)) return void outgoing.writeHead(407, { 'Proxy-Authenticate': 'Basic' }).end();
    const { 'proxy-authorization': _, 'proxy-connection': __, ...headers } = incoming.headers;
    const passed = request(incoming.url ?? '', { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(passed);
  });
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    socket.on('error', () => {});
    if (onConnect !== undefined) return onConnect(socket.resume().on('end', () => socket.end()));
    const code = isAllowed(incoming) ? status : 407;
    if (code !== 200) return void socket.end(`HTTP/1.1 ${code} No\r\nContent-Length: 0\r\n\r\n`);
    const { hostname, port } = new URL(`http://${incoming.url}`);
    const passed = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(passed).pipe(socket);
    });
    passed.on('error', () => socket.destroy());
    socket.on('close', () => passed.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `${certificate === undefined ? 'http' : 'https'}://${host}`, host, asked, sockets };
}
