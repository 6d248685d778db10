import * as nodeFs from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** What it asks of the disk. */
type Disk = Pick<typeof nodeFs, 'openSync' | 'closeSync'>;

/** The longest path a socket may have, on every system. */
const LONGEST_PATH = 100;

/** How long a connection may take, in ms. The system answers for the process. */
const ANSWER_MS = 2_000;

/**
 * A socket in a folder that carries no data. A process that can connect knows that its owner lives, also in another container.
 * The system closes the socket with its process, however that ends.
 */
export class Lifeline {
  readonly #server: Server;
  readonly #folder: Folder;

  private constructor(server: Server, folder: Folder) {
    this.#server = server;
    this.#folder = folder;
  }

  /** Undefined where there can be none, as on Windows and on some mounted folders. The system binds a socket in the call. */
  static open(path: string, name: string, fs: Disk = nodeFs): Lifeline | undefined {
    if (process.platform === 'win32') return undefined;
    const folder = new Folder(path, fs);
    const server = createServer((socket) => socket.destroy()).unref();
    server.on('error', () => {});
    // Without `exclusive` the first process of a cluster would open a worker's socket, and it outlives the worker.
    server.listen({ path: folder.pathOf(name), exclusive: true });
    if (server.listening) return new Lifeline(server, folder);
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

  /** Closing removes the socket as well. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#folder.close();
  }
}

function reaches(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (isAlive: boolean): void => {
      socket.destroy();
      resolve(isAlive);
    };
    socket.once('connect', () => end(true));
    // Nothing listens any more, or the socket was removed. Any other error does not prove that the process died.
    socket.once('error', (error) => end(!('code' in error && DEAD.includes(String(error.code)))));
    socket.setTimeout(ANSWER_MS, () => end(true));
  });
}

const DEAD: readonly string[] = ['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'];

/** A folder whose path may be too long for sockets in it. Linux then knows it by a shorter name. */
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
