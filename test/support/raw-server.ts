import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { onTestFinished } from 'vitest';

export interface RawServer {
  readonly port: number;
  readonly url: string;
  /** The bodies of the requests that arrived completely. */
  readonly bodies: string[];
  readonly connections: () => number;
}

/**
 * Starts a server that calls `answer` with the socket after each complete request. `requests` counts from 1. Closed when the test
 * ends.
 */
export async function rawServer(
  answer: (socket: Socket, requests: number) => unknown,
  tls?: TlsOptions,
): Promise<RawServer> {
  const bodies: string[] = [];
  const sockets = new Set<Socket>();
  const onConnection = (socket: Socket): void => {
    sockets.add(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const [, head = '', length = '0'] = /^(.*?content-length: (\d+).*?\r\n\r\n)/is.exec(text) ?? [];
      if (head === '' || text.length < head.length + Number(length)) return;
      bodies.push(text.slice(head.length));
      text = '';
      answer(socket, bodies.length);
    });
  };
  const server: Server = tls === undefined ? createServer(onConnection) : createTlsServer(tls, onConnection);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  return { port, url, bodies, connections: () => sockets.size };
}

/** Returns the text of an answer with a body. */
export const answerWith = (body: string, status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

/** Interim answers, which a client has to ignore (RFC 9110, section 15.2), in the pieces in which they are written. */
export const interimAnswers: readonly (readonly [name: string, pieces: readonly string[]])[] = [
  ['nothing', []],
  ['100 Continue', [CONTINUE]],
  ['100 Continue with headers', ['HTTP/1.1 100 Continue\r\nServer: old\r\nDate: today\r\n\r\n']],
  ['100 Continue twice', [CONTINUE + CONTINUE]],
  ['100 Continue, each byte for itself', [...CONTINUE]],
  ['102 Processing', ['HTTP/1.1 102 Processing\r\n\r\n']],
  ['103 Early Hints', ['HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n']],
  ['103, 100 and 102', ['HTTP/1.1 103 Early Hints\r\n\r\n', CONTINUE, 'HTTP/1.1 102 Processing\r\n\r\n']],
];

/** Writes each piece in a packet of its own, and then the answer. */
export async function writePieces(socket: Socket, pieces: readonly string[], answer: string): Promise<void> {
  socket.setNoDelay(true);
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  socket.write(answer);
}
