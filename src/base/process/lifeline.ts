import * as nodeFs from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

/** The part of `node:fs` that a lifeline uses. */
type Disk = Pick<typeof nodeFs, 'openSync' | 'closeSync'>;

/** The longest path that a socket may have on every system. */
const LONGEST_PATH = 100;

/** The longest wait for a connection, in milliseconds. It is short, because the system accepts the connection for the process. */
const ANSWER_MS = 2_000;

const MOST_REQUEST_BYTES = 4_096;

/** Answers a request of one line with another line. Must not reject. */
export type AnswerLine = (request: string) => Promise<string>;

export interface LifelineOptions {
  /** Without it, requests get no answer. */
  readonly answer?: AnswerLine | undefined;
  readonly fs?: Disk;
}

/**
 * A socket in a folder. A process that can connect knows that the socket's owner is alive, even if the owner is in another
 * container. The system closes the socket when the process ends, however it ends.
 */
export class Lifeline {
  readonly #server: Server;
  readonly #folder: Folder;
  readonly #sockets: ReadonlySet<Socket>;

  private constructor(server: Server, folder: Folder, sockets: ReadonlySet<Socket>) {
    this.#server = server;
    this.#sockets = sockets;
    this.#folder = folder;
  }

  /** Opens the socket synchronously. Returns undefined if none can be made, as on Windows and on some mounted folders. */
  static open(path: string, name: string, { answer, fs = nodeFs }: LifelineOptions = {}): Lifeline | undefined {
    if (process.platform === 'win32') return undefined;
    const folder = new Folder(path, fs);
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket.unref());
      socket.on('close', () => sockets.delete(socket));
      void serve(socket, answer);
    }).unref();
    server.on('error', () => {});
    // Without `exclusive`, the primary process of a cluster would open a worker's socket, which would then outlive the worker.
    server.listen({ path: folder.pathOf(name), exclusive: true });
    if (server.listening) return new Lifeline(server, folder, sockets);
    folder.close();
    return undefined;
  }

  static async isAlive(path: string, name: string, fs: Disk = nodeFs): Promise<boolean> {
    const folder = new Folder(path, fs);
    try {
      return await reaches(folder.pathOf(name));
    } finally {
      folder.close();
    }
  }

  /** Sends a request of one line to the owner; resolves with the answer, or with undefined if none arrives in time. */
  static async ask(path: string, name: string, request: string, timeoutMs: number): Promise<string | undefined> {
    const folder = new Folder(path, nodeFs);
    let socket: Socket | undefined;
    try {
      socket = connect(folder.pathOf(name));
      socket.write(`${request}\n`);
      return await lineOf(socket, Number.POSITIVE_INFINITY, timeoutMs);
    } catch {
      // The connection failed or, if the path is long, the folder is gone or cannot be opened.
      return undefined;
    } finally {
      socket?.destroy();
      folder.close();
    }
  }

  /** Closes the socket, which also removes its file. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#folder.close();
  }
}

/** A peer that only checks whether the owner is alive closes the connection at once. */
async function serve(socket: Socket, answer: AnswerLine | undefined): Promise<void> {
  const request = answer && (await lineOf(socket, MOST_REQUEST_BYTES, ANSWER_MS));
  if (answer === undefined || request === undefined) socket.destroy();
  else socket.end(`${await answer(request)}\n`);
}

/** Resolves with the first line; with undefined if the peer closes first, or the line is too long or too slow. */
function lineOf(socket: Socket, mostBytes: number, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end > mostBytes || (end === -1 && text.length > mostBytes)) resolve(undefined);
      else if (end !== -1) resolve(text.slice(0, end));
    });
    socket.setTimeout(timeoutMs, () => resolve(undefined));
    socket.on('error', () => resolve(undefined)).on('close', () => resolve(undefined));
  });
}

function reaches(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (isAlive: boolean): void => {
      socket.destroy();
      resolve(isAlive);
    };
    socket.once('connect', () => end(true));
    // No process listens any more, or the socket was removed. Any other error does not prove that the process died.
    socket.once('error', (error) => end(!('code' in error && DEAD.includes(String(error.code)))));
    socket.setTimeout(ANSWER_MS, () => end(true));
  });
}

const DEAD: readonly string[] = ['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'];

/** A folder whose path may be too long for a socket. On Linux such a folder is opened and reached by a shorter path. */
class Folder {
  readonly #path: string;
  readonly #fs: Disk;
  #handle: number | undefined;

  constructor(path: string, fs: Disk) {
    this.#path = path;
    this.#fs = fs;
  }

  pathOf(name: string): string {
    const path = join(this.#path, name);
    if (Buffer.byteLength(path) <= LONGEST_PATH || process.platform !== 'linux') return path;
    this.#handle ??= this.#fs.openSync(this.#path, 'r');
    return `/proc/self/fd/${this.#handle}/${name}`;
  }

  close(): void {
    if (this.#handle !== undefined) this.#fs.closeSync(this.#handle);
    this.#handle = undefined;
  }
}
