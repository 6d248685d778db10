import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { describeThrown } from '../../base/errors/describe-thrown.js';
import { ConnectionError } from '../../base/errors/errors.js';
import type { HttpTransportOptions } from './http-transport.js';
import { load } from './load-later.js';
import { credentialsFor, type ProxyServer, portOf, proxyError, refusedBy, withoutBrackets } from './proxy.js';
import type { TlsOptions } from './tls.js';

type OnConnection = (...outcome: [error: null, socket: Socket] | [error: Error, socket: null]) => void;

/**
 * Opens connections to the collector through a proxy, like Node's own clients: for an https collector a tunnel into which the
 * proxy cannot look; for an http collector a connection to the proxy itself, which forwards requests. `tls` applies to the
 * connection to the collector; the connection to an https proxy is verified as Node does by default.
 */
export function proxyConnector(proxy: ProxyServer, { origin, tls, requestTimeout, clock }: HttpTransportOptions) {
  // Node 20 never frees what `AbortSignal.any` notes in a signal that lives as long as the client.
  const attempts = new Set<AbortController>();
  let closed: ConnectionError | undefined;

  /** @throws ConnectionError if the proxy itself failed */
  const open = async (): Promise<Socket> => {
    if (closed !== undefined) throw closed;
    const attempt = new AbortController();
    const cancelTimer = clock.after(requestTimeout, () =>
      attempt.abort(proxyError(proxy, `opened no connection within ${requestTimeout} ms`)),
    );
    attempts.add(attempt);
    try {
      return await openConnection(proxy, new URL(origin), tls, attempt.signal);
    } finally {
      cancelTimer();
      attempts.delete(attempt);
    }
  };

  return {
    /** Opens a connection, with the signature that both transports expect. */
    createConnection(_: object, callback: OnConnection): void {
      open().then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      );
    },

    /** Ends connections that are being opened. Open ones belong to the transport. */
    destroy(): void {
      closed = new ConnectionError('The client is closed');
      for (const attempt of attempts) attempt.abort(closed);
    },
  };
}

async function openConnection(
  proxy: ProxyServer,
  collector: URL,
  tls: TlsOptions | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = await reach(proxy, signal);
  if (collector.protocol === 'http:') return socket;
  try {
    await openTunnel(proxy, collector, socket, signal);
    return await secure(socket, withoutBrackets(collector.hostname), tls, signal);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** The same as undici's default. */
const KEEP_ALIVE_MS = 60_000;

async function reach(proxy: ProxyServer, signal: AbortSignal): Promise<Socket> {
  const { isSecure, hostname, port } = proxy;
  const { connect: connectTcp, isIP } = load('node:net');
  const { connect: connectTls } = isSecure ? load('node:tls') : {};
  const target = { host: hostname, port, servername: isIP(hostname) === 0 ? hostname : '' };
  const socket = connectTls?.(target) ?? connectTcp(target);
  try {
    await untilEmitted(socket, isSecure ? 'secureConnect' : 'connect', signal);
  } catch (cause) {
    socket.destroy();
    throw failureOf(proxy, 'could not be reached', cause);
  }
  return socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
}

async function openTunnel(proxy: ProxyServer, collector: URL, socket: Socket, signal: AbortSignal): Promise<void> {
  const { request } = load('node:http');
  const path = `${collector.hostname}:${portOf(collector)}`;
  const headers = { Host: path, Connection: 'keep-alive', 'Proxy-Connection': 'keep-alive', ...credentialsFor(proxy) };
  const asking = request({ method: 'CONNECT', path, headers, createConnection: () => socket });
  asking.end();
  const [answer] = await untilEmitted(asking, 'connect', signal).catch((cause: unknown) => {
    throw failureOf(proxy, 'gave no tunnel', cause);
  });
  const { statusCode: status = 0 } = answer as IncomingMessage;
  if (status === 407) throw refusedBy(proxy);
  if (status < 200 || status > 299) {
    throw proxyError(proxy, `answered ${status} when asked for a tunnel to ${path}`);
  }
}

async function secure(
  tunnel: Socket,
  hostname: string,
  tls: TlsOptions | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const servername = load('node:net').isIP(hostname) === 0 ? hostname : '';
  const options = { servername, ...(tls as object), host: hostname, socket: tunnel, ALPNProtocols: ['http/1.1'] };
  const socket = load('node:tls').connect(options);
  await untilEmitted(socket, 'secureConnect', signal);
  return socket;
}

/** @throws the error that the emitter emits, or the reason of the signal */
async function untilEmitted(emitter: EventEmitter, event: string, signal: AbortSignal): Promise<unknown[]> {
  // The user of the connection handles later failures. Until there is one, an error must not end the process.
  emitter.on('error', () => {});
  try {
    return await load('node:events').once(emitter, event, { signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

/** Describes a failure that involves the proxy. The reason of a signal is a ConnectionError already, and stays as it is. */
const failureOf = (proxy: ProxyServer, what: string, cause: unknown): ConnectionError =>
  cause instanceof ConnectionError ? cause : proxyError(proxy, `${what}: ${reasonOf(cause)}`, cause);

/** Prefers the code, because the errors of a host with several addresses have no message. */
function reasonOf(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : describeThrown(error);
}
