import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts a server on a free loopback port for the duration of the test. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => closeServer(server));
  return urlOf(server);
}

export const urlOf = (server: NetServer): string => {
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
};

export async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

/** Opens a connection on which a test writes HTTP by hand. */
export function dial(url: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => {
    socket.destroy();
  });
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  const write = (text: string) => new Promise<void>((resolve) => void socket.write(text, () => resolve()));
  return {
    write,
    async writeUntilClosed(text: string): Promise<void> {
      while (socket.writable) await write(text);
    },
    end: () => socket.destroy(),
    closed,
    /** Returns what was received once it contains `text`. */
    async receives(text: string): Promise<string> {
      while (!received.includes(text)) await once(socket, 'data');
      return received;
    },
  };
}

export const head = (headers: Record<string, string>, path = '/'): string => {
  const lines = Object.entries({ host: 'localhost', 'content-type': 'application/json', ...headers });
  return `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
};

export const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
