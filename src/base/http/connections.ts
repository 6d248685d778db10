import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { buildConnector, Client, Dispatcher, Pool } from 'undici';
import { LoadError } from '../errors/errors.js';

/** The parts of undici that make connections. */
export interface UndiciParts {
  readonly Pool: new (origin: string, options: Pool.Options) => Pool;
  readonly Client: new (origin: string, options: Client.Options) => Client;
  readonly buildConnector: (options: buildConnector.BuildOptions) => buildConnector.connector;
}

/**
 * undici reads answers with WebAssembly. Where there is none, to import undici can end the process.
 *
 * @throws LoadError
 */
export function assertUndiciRuns(user = 'sending'): void {
  if ('WebAssembly' in globalThis) return;
  throw new LoadError('undici', 'this process has no WebAssembly. Start Node without `--jitless`', user);
}

/** A connection of a pool, as far as its requests must know it. */
export interface Connection {
  /** True when it has given a whole answer. */
  isReused: boolean;
  /** True when the other side has asked for a certificate of ours. */
  asksForCertificate: boolean;
  /**
   * Repeats once a request that got no answer because the other side had already closed the connection. It then goes over a new
   * connection. Returns false if it must not be sent again.
   */
  repeats(request: PooledRequest, handler: Dispatcher.DispatchHandler, error: Error): boolean;
}

/** A request that is told which connection it goes over. */
export type PooledRequest = Dispatcher.DispatchOptions & { connection?: Connection; isRepeated?: boolean };

/** It may return the socket with which it tries to connect, as undici's own does. */
export type Connect = (...args: Parameters<buildConnector.connector>) => unknown;

/** undici's pool, whose connections hide interim answers, and are known to their requests. */
export function openPool(
  { Pool, Client }: UndiciParts,
  origin: string,
  options: Pool.Options & { readonly connect: Connect },
): Pool {
  // Each client of a pool is one connection at a time.
  return new Pool(origin, {
    ...options,
    factory: (_, settings) => connectionOf(origin, settings, options.connect, Client),
  });
}

function connectionOf(origin: string, settings: object, connect: Connect, Client: UndiciParts['Client']): Client {
  const connection: Connection = {
    isReused: false,
    asksForCertificate: false,
    repeats(request, handler, error) {
      if (!connection.isReused || request.isRepeated === true || !isClosed(error)) return false;
      request.isRepeated = true;
      // By then undici has let go of the connection that was closed.
      queueMicrotask(() => void dispatch(request, handler));
      return true;
    },
  };
  const client = new Client(origin, {
    ...settings,
    connect(target, callback) {
      let opening: unknown;
      opening = connect(target, (...result) => {
        const [error, socket] = result;
        connection.isReused = false;
        connection.asksForCertificate = asksForCertificate(socket ?? opening);
        if (error === null) hideInterim(socket);
        callback(...result);
      });
    },
  });
  const dispatch = client.dispatch.bind(client);
  client.dispatch = (request: PooledRequest, handler) => {
    request.connection = connection;
    return dispatch(request, handler);
  };
  return client;
}

/** A client shares signature algorithms with a server only to sign with the certificate that the server asks for. */
const asksForCertificate = (socket: unknown): boolean =>
  ((socket as Partial<TLSSocket> | undefined)?.getSharedSigalgs?.() ?? []).length > 0;

// EPIPE where the other side had ended the connection first, and then reset it.
const CLOSED = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** Tells whether the other side closed the connection. */
export const isClosed = (error: Error): boolean => 'code' in error && CLOSED.includes(String(error.code));

const INTERIM = Buffer.from('HTTP/1.1 1');
const HEAD_END = '\r\n\r\n';
const LONGEST_HEAD_BYTES = 16 * 1_024;
const NOTHING = Buffer.alloc(0);

/**
 * Takes interim answers, as `100 Continue` and `103 Early Hints`, out of what undici reads. A client ignores those that it did not ask
 * for (RFC 9110, section 15.2), but undici ends the connection at a 100, although the request may have been processed.
 */
export function hideInterim(socket: Socket): void {
  const { read, write } = socket;
  let isHeadNext = false;
  let held: Buffer = NOTHING;
  // undici writes a whole request at once, and the next only after the answer.
  socket.write = (...args: unknown[]) => {
    isHeadNext = true;
    return Reflect.apply(write, socket, args);
  };
  socket.read = (size) => {
    for (;;) {
      const chunk: Buffer | null = read.call(socket, size);
      if (chunk === null || !isHeadNext) return chunk;
      held = withoutInterim(held === NOTHING ? chunk : Buffer.concat([held, chunk]));
      if (mayBeInterim(held) && held.length < LONGEST_HEAD_BYTES) continue;
      const head = held;
      held = NOTHING;
      isHeadNext = false;
      return head;
    }
  };
}

function withoutInterim(bytes: Buffer): Buffer {
  for (let rest = bytes; ; ) {
    const end = mayBeInterim(rest) ? rest.indexOf(HEAD_END) : -1;
    if (end === -1) return rest;
    rest = rest.subarray(end + HEAD_END.length);
  }
}

/** True also for the beginning of one, and for nothing yet. */
const mayBeInterim = (bytes: Buffer): boolean =>
  bytes.subarray(0, INTERIM.length).equals(INTERIM.subarray(0, bytes.length));
