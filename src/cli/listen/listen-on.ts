import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CliError, codeOf, reasonOf, unusable } from '../cli-error.js';

/**
 * Starts to listen, and returns the port.
 *
 * @throws CliError if the port is taken or not allowed
 */
export async function listenOn(server: Server, { port, host }: { port: number; host: string }): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw explainListening(error, { port, host });
  }
  // A server on TCP always has an address of this type.
  return (server.address() as AddressInfo).port;
}

/** Makes the error that explains why a server cannot listen. */
export function explainListening(error: unknown, { port, host }: { port: number; host: string }): CliError {
  const code = codeOf(error);
  if (code === 'EADDRINUSE') {
    const other = port < 65_535 ? port + 1 : 0;
    return unusable(`port ${port} is already in use; try --port ${other}, or --port 0 for any free one`, error);
  }
  if (code === 'EACCES') return unusable(`port ${port} needs more privileges; try a port from 1024 up`, error);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return unusable(`${host} is not an address of this machine; --host 127.0.0.1 is`, error);
  return unusable(reasonOf(error), error);
}

export const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
