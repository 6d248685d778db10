import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { buildConnector, Client, Dispatcher, Pool } from 'undici';
import { LoadError } from '../errors/errors.js';

/** The parts of undici that open connections. */
export interface UndiciParts {
  readonly Pool: new (origin: string, options: Pool.Options) => Pool;
  readonly Client: new (origin: string, options: Client.Options) => Client;
  readonly buildConnector: (options: buildConnector.BuildOptions) => buildConnector.connector;
}

/**
 * undici reads responses with WebAssembly. Importing it in a process without WebAssembly can end the process.
 *
 * @throws LoadError
 */
export function assertUndiciRuns(user = 'sending'): void {
  if ('WebAssembly' in globalThis) return;
  throw new LoadError('undici', 'this process has no WebAssembly. Start Node without `--jitless`', user);
}

/** What a request needs to know about the connection that carries it. */
export interface Connection {
  /** True after a first complete response. */
  isReused: boolean;
  /** True when the server has asked for a client certificate. */
  asksForCertificate: boolean;
  /**
   * Repeats a request once, over a new connection, if it got no response because the server had already closed this one. Returns
   * false if the request must not be sent again.
   */
  repeats(request: PooledRequest, handler: Dispatcher.DispatchHandler, error: Error): boolean;
}

/** A request that is told which connection carries it. */
export type PooledRequest = Dispatcher.DispatchOptions & { connection?: Connection; isRepeated?: boolean };

/** Like undici's own connector, it may return the socket that is being connected. */
export type Connect = (...args: Parameters<buildConnector.connector>) => unknown;

/** Opens undici's pool. Its connections hide interim responses and are known to the requests that they carry. */
export function openPool(
  { Pool, Client }: UndiciParts,
  origin: string,
  options: Pool.Options & { readonly connect: Connect },
): Pool {
  // Each client in a pool holds one connection.
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

/** Returns true if the server asks for a client certificate: only then do the two sides share signature algorithms. */
const asksForCertificate = (socket: unknown): boolean =>
  ((socket as Partial<TLSSocket> | undefined)?.getSharedSigalgs?.() ?? []).length > 0;

// EPIPE occurs when the other side first ended the connection and then reset it.
const CLOSED = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** Tells whether the other side closed the connection. */
export const isClosed = (error: Error): boolean => 'code' in error && CLOSED.includes(String(error.code));

const INTERIM = Buffer.from('HTTP/1.1 1');
const HEAD_END = '\r\n\r\n';
const LONGEST_HEAD_BYTES = 16 * 1_024;
const NOTHING = Buffer.alloc(0);

/**
 * Hides interim responses, such as `100 Continue` and `103 Early Hints`, from undici. A client may ignore interim responses that
 * it did not ask for (RFC 9110, section 15.2), but undici ends the connection at a 100, although the server may have processed
 * the request.
 */
export function hideInterim(socket: Socket): void {
  const { read, write } = socket;
  let isHeadNext = false;
  let held: Buffer = NOTHING;
  // undici writes each request in one call, and writes the next one only after the response.
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

/** Returns true also for the beginning of an interim response, and for no bytes at all. */
const mayBeInterim = (bytes: Buffer): boolean =>
  bytes.subarray(0, INTERIM.length).equals(INTERIM.subarray(0, bytes.length));
