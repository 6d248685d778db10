import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { newFolder } from '../cli/files.js';
import { freePort } from '../support/free-port.js';

export const COMMAND = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

export const TOKEN = 'a-token-of-the-tests';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServeOptions {
  /** A program and its arguments that start the command. */
  readonly under?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** A folder with a configuration, in which `serve` can be started and ended several times. */
export class Home {
  readonly folder: string;
  readonly file: string;
  /** The URL is the same at every start, so that clients can reconnect. */
  readonly url: string;

  private constructor(folder: string, port: number, file = 'eventferry.json') {
    this.folder = folder;
    this.file = join(folder, file);
    this.url = `http://127.0.0.1:${port}`;
  }

  static async make(config: object): Promise<Home> {
    const home = new Home(await newFolder(), await freePort());
    await home.configure(config);
    return home;
  }

  /** Makes a home whose configuration is this text. */
  static async pasted(file: string, text: string): Promise<Home> {
    const home = new Home(await newFolder(), await freePort(), file);
    await home.write(text);
    return home;
  }

  /** Makes another home with the same folder, for a second process at the same time. */
  async neighbour(): Promise<Home> {
    return new Home(this.folder, await freePort());
  }

  configure(config: object): Promise<void> {
    return this.write(JSON.stringify({ admin: { token: TOKEN }, store: { type: 'lmdb', path: 'data' }, ...config }));
  }

  write(text: string): Promise<void> {
    return writeFile(this.file, text);
  }

  /** Starts the built command, and waits until it listens. */
  async start(options: ServeOptions = {}): Promise<Service> {
    const service = this.launch(options);
    await service.listening;
    return service;
  }

  /** Starts the built command. */
  launch({ under = [], env = {} }: ServeOptions = {}): Service {
    const port = new URL(this.url).port;
    const [program = '', ...args] = [...under, process.execPath, COMMAND, 'serve', this.file, '--port', port, '--json'];
    const child = spawn(program, args, {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const service = new Service(this.url, child);
    onTestFinished(() => service.kill());
    return service;
  }
}

/** True for the line that a service logs while another process has its folder. */
export const isWaiting = ({ msg }: Record<string, unknown>): boolean => String(msg).includes('has the folder');

/** True for the line that a service logs when it begins to close. */
export const isEnding = ({ msg }: Record<string, unknown>): boolean => String(msg).startsWith('the service ends');

/** A process of the service. */
export class Service {
  readonly url: string;
  /** Everything that it has printed and logged. */
  readonly lines: Record<string, unknown>[] = [];
  readonly listening: Promise<void>;
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  readonly #waiting = new Set<{ holds(line: Record<string, unknown>): boolean; resolve(): void }>();
  #errors = '';

  constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
    const { stdout, stderr } = child;
    if (stdout === null || stderr === null) throw new Error('No output');
    createInterface({ input: stdout }).on('line', (text) => this.#read(text));
    stderr.on('data', (chunk) => {
      this.#errors += chunk;
    });
    this.ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
    this.listening = Promise.race([
      this.logged((line) => 'sources' in line && 'url' in line),
      this.ended.then(() => Promise.reject(new Error(`The service did not start: ${this.#errors}`))),
    ]);
    this.listening.catch(() => {});
  }

  get pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error('The service was never there');
    return pid;
  }

  get errors(): string {
    return this.#errors;
  }

  /** Resolves when it has printed such a line. */
  logged(holds: (line: Record<string, unknown>) => boolean): Promise<void> {
    if (this.lines.some(holds)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.add({ holds, resolve }));
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended;
  }

  /** Ends the process in the way of a service manager. */
  stop(): Promise<Ended> {
    this.signal('SIGTERM');
    return this.ended;
  }

  #read(text: string): void {
    const line = JSON.parse(text);
    this.lines.push(line);
    for (const waiter of this.#waiting) {
      if (!waiter.holds(line)) continue;
      this.#waiting.delete(waiter);
      waiter.resolve();
    }
  }
}
