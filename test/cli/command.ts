import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { createProgram } from '../../src/cli/program.js';
import { complain } from '../../src/cli/terminal/complaint.js';
import { writePage } from '../../src/dashboard/page/build.js';
import { onceInRun, runFolder } from '../support/run-folder.js';
import { AS_PROCESS_1 } from '../support/script.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let built: Promise<string> | undefined;

/**
 * Builds the command from the source once in a run, as for the package. Compiling it at each start would take too long.
 * The command is installed as a separate package, so that it can resolve its own name, and undici from there.
 * @returns the path of the command
 */
async function buildOnce(): Promise<string> {
  built ??= onceInRun('command', (folder) => {
    const dist = join(folder, 'dist');
    return Promise.all([
      cp(join(ROOT, 'package.json'), join(folder, 'package.json')),
      cp(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true }),
      writePage(join(dist, 'debugger.html.br'), ROOT),
      buildCommand(dist),
      buildJournal(dist),
    ]);
  });
  return join(await built, 'dist/cli.mjs');
}

function buildCommand(outdir: string): Promise<unknown> {
  return build({
    entryPoints: { cli: join(ROOT, 'src/cli/main.ts') },
    outdir,
    bundle: true,
    splitting: true,
    // The build of the package uses the same names, by which the package finds its files.
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['undici', 'lmdb', 'ioredis', '@opentelemetry/api'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    outExtension: { '.js': '.mjs' },
  });
}

/** Builds the module that a client with a journal loads by its path. */
function buildJournal(outdir: string): Promise<unknown> {
  return build({
    entryPoints: { journal: join(ROOT, 'src/client/journal/journal.ts') },
    outdir,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    outExtension: { '.js': '.cjs' },
  });
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Starts the command in a separate process. */
export async function start(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  stdin?: string | Uint8Array,
): Promise<Started> {
  const started = startProcess(process.execPath, [await buildOnce(), ...args], env, stdin !== undefined);
  started.child.stdin?.on('error', () => {}).end(stdin);
  return started;
}

/** Starts the command below a shell, as npx does. The child is the shell; `ended` means that both processes have ended. */
export async function startBelowShell(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Started> {
  const command = [process.execPath, await buildOnce(), ...args];
  return startProcess('/bin/sh', ['-c', '"$@"; exit $?', 'sh', ...command], env);
}

/** Runs a bash script in which `ferry` is the command. */
export async function runScript(script: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  const command = `ferry() { '${process.execPath}' '${await buildOnce()}' "$@"; }\n`;
  return startProcess('bash', ['-c', command + script], env).ended;
}

/** Returns the environment. The command writes its per-user files to a folder of this process, which is removed at the end. */
const environment = (more: NodeJS.ProcessEnv) => ({
  PATH: process.env['PATH'],
  XDG_STATE_HOME: join(runFolder(), `state-${process.pid}`),
  ...more,
});

function startProcess(command: string, args: readonly string[], env: NodeJS.ProcessEnv, hasInput = false): Started {
  const child = spawn(command, args, {
    env: environment(env),
    stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  const printed = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (chunk) => {
    printed.out += chunk;
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk) => {
    printed.err += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...printed }));
  return { child, ended };
}

/** Runs the command to its end in a separate process. Use it only where that matters, because starting a process takes long. */
export const runProcess = async (...given: Parameters<typeof start>): Promise<Ended> => (await start(...given)).ended;

let isRunning = false;

/** Runs the command in this process, but with its own environment and standard input. */
export async function run(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  stdin: string | Uint8Array = '',
): Promise<Ended> {
  if (isRunning) throw new Error('Two commands at once need processes of their own: runProcess');
  isRunning = true;
  const ended = { code: 0, signal: null, out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({
    write: (text: string) => {
      ended[name] += text;
    },
  });
  const context = {
    out: stream('out'),
    err: stream('err'),
    exit: (code: number) => {
      ended.code = code;
    },
  };
  const program = createProgram(context);
  const putBack = replaceInProcess(environment(env), Readable.from([Buffer.from(stdin)]));
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    complain(program, context, error, args.includes('--json'));
  } finally {
    putBack();
    isRunning = false;
  }
  return ended;
}

/** Gives this process another environment and standard input. Returns a function that restores its own. */
function replaceInProcess(env: NodeJS.ProcessEnv, stdin: Readable): () => void {
  const own = Object.getOwnPropertyDescriptors(process);
  Object.defineProperties(process, { env: { ...own.env, value: env }, stdin: { configurable: true, value: stdin } });
  return () => Object.defineProperties(process, { env: own.env, stdin: own.stdin });
}

/** Starts the command through a program that runs a command, such as `unshare`. */
async function startUnder(program: string, args: readonly string[], command: readonly string[]): Promise<Started> {
  return startProcess(program, [...args, process.execPath, await buildOnce(), ...command], {});
}

/** Runs the command to its end through a program that runs a command. */
export const runUnder = async (...given: Parameters<typeof startUnder>): Promise<Ended> =>
  (await startUnder(...given)).ended;

/** Starts the command as process 1 of a namespace, as in a container. Also resolves with a function that sends it a signal. */
export async function startAsProcess1(command: readonly string[]) {
  const [program, ...args] = AS_PROCESS_1;
  const { child, ended } = await startUnder(program, args, command);
  const signal = (name: NodeJS.Signals): void => {
    const pids = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'latin1');
    process.kill(Number(pids.trim()), name);
  };
  return { child, ended, signal };
}

/** Runs the command with its standard output in a file. */
export async function runInto(output: string, args: readonly string[]): Promise<Pick<Ended, 'code' | 'err'>> {
  const command = [process.execPath, await buildOnce(), ...args];
  return startProcess('/bin/sh', ['-c', 'out=$1; shift; exec "$@" > "$out"', 'sh', output, ...command], {}).ended;
}
