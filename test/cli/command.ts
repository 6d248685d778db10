import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { createProgram } from '../../src/cli/program.js';
import { complain } from '../../src/cli/terminal/complaint.js';
import { writePage } from '../../src/dashboard/page/build.js';
import { AS_PROCESS_1 } from '../support/script.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
// An installed package of its own, which the command finds by its name; undici is found from there.
const FOLDER = join(ROOT, 'node_modules', `.eventferry-cli-${process.pid}`);
const DIST = join(FOLDER, 'dist');

let built: Promise<unknown> | undefined;
process.on('exit', () => rmSync(FOLDER, { recursive: true, force: true }));

/** Builds the command from the source once, as the package does: to compile it at each start takes too long. */
function buildOnce(): Promise<unknown> {
  built ??= Promise.all([
    cp(join(ROOT, 'package.json'), join(FOLDER, 'package.json')),
    cp(join(ROOT, 'examples'), join(FOLDER, 'examples'), { recursive: true }),
    writePage(join(DIST, 'debugger.html.br'), ROOT),
    buildCommand(),
    buildJournal(),
  ]);
  return built;
}

function buildCommand(): Promise<unknown> {
  return build({
    entryPoints: { cli: join(ROOT, 'src/cli/main.ts') },
    outdir: DIST,
    bundle: true,
    splitting: true,
    // As the package has them, which finds the files of the build from there.
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['undici', 'lmdb', 'ioredis', '@opentelemetry/api'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    outExtension: { '.js': '.mjs' },
  });
}

/** What a client with a journal loads by its place. */
function buildJournal(): Promise<unknown> {
  return build({
    entryPoints: { journal: join(ROOT, 'src/client/journal/journal.ts') },
    outdir: DIST,
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

/** Starts the command as a process of its own. */
export async function start(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  stdin?: string | Uint8Array,
): Promise<Started> {
  await buildOnce();
  const started = startProcess(process.execPath, [join(DIST, 'cli.mjs'), ...args], env, stdin !== undefined);
  started.child.stdin?.on('error', () => {}).end(stdin);
  return started;
}

/** Starts it below a shell, as npx does; the child is the shell, and ended means that both have. */
export async function startBelowShell(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Started> {
  await buildOnce();
  const command = [process.execPath, join(DIST, 'cli.mjs'), ...args];
  return startProcess('/bin/sh', ['-c', '"$@"; exit $?', 'sh', ...command], env);
}

/** Runs a script of bash, in which `ferry` is the command. */
export async function runScript(script: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  await buildOnce();
  const command = `ferry() { '${process.execPath}' '${join(DIST, 'cli.mjs')}' "$@"; }\n`;
  return startProcess('bash', ['-c', command + script], env).ended;
}

/** What the command keeps for a user goes with the folder of the build. */
const environment = (more: NodeJS.ProcessEnv) => ({ PATH: process.env['PATH'], XDG_STATE_HOME: FOLDER, ...more });

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

/** Runs the command as a process of its own to its end, where it matters that it is one: to start one takes long. */
export const runProcess = async (...given: Parameters<typeof start>): Promise<Ended> => (await start(...given)).ended;

let isRunning = false;

/** Runs the command in this process, with the environment and the standard input of one of its own. */
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

/** Gives this process another environment and standard input. Returns a function that gives it its own again. */
function replaceInProcess(env: NodeJS.ProcessEnv, stdin: Readable): () => void {
  const own = Object.getOwnPropertyDescriptors(process);
  Object.defineProperties(process, { env: { ...own.env, value: env }, stdin: { configurable: true, value: stdin } });
  return () => Object.defineProperties(process, { env: own.env, stdin: own.stdin });
}

/** Starts it by a program that takes a command, such as `unshare`. */
async function startUnder(program: string, args: readonly string[], command: readonly string[]): Promise<Started> {
  await buildOnce();
  return startProcess(program, [...args, process.execPath, join(DIST, 'cli.mjs'), ...command], {});
}

/** Runs it by such a program. */
export const runUnder = async (...given: Parameters<typeof startUnder>): Promise<Ended> =>
  (await startUnder(...given)).ended;

/** Starts it as process 1 of a namespace, which it is in a container. Resolves with what sends it a signal too. */
export async function startAsProcess1(command: readonly string[]) {
  const [program, ...args] = AS_PROCESS_1;
  const { child, ended } = await startUnder(program, args, command);
  const signal = (name: NodeJS.Signals): void => {
    const pids = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'latin1');
    process.kill(Number(pids.trim()), name);
  };
  return { child, ended, signal };
}

/** Runs it with its standard output in a file. */
export async function runInto(output: string, args: readonly string[]): Promise<Pick<Ended, 'code' | 'err'>> {
  await buildOnce();
  const command = [process.execPath, join(DIST, 'cli.mjs'), ...args];
  return startProcess('/bin/sh', ['-c', 'out=$1; shift; exec "$@" > "$out"', 'sh', output, ...command], {}).ended;
}
