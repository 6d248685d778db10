import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { INSTALL } from '../package/pack.js';
import { run } from '../package/run.js';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Program {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when the program has printed `text` to standard output. */
  printed(text: string): Promise<void>;
}

/** A new project outside the checkout, with the packed package and the given files in it. Removed when the test ends. */
export interface FreshFolder {
  readonly path: string;
  /** Starts `node` with these arguments in the folder. */
  node(args: readonly string[], env?: Readonly<Record<string, string>>): Program;
  /** Starts a program that a package has installed, such as `jest`, in the folder. */
  bin(name: string, args?: readonly string[], env?: Readonly<Record<string, string>>): Program;
}

/**
 * @param files their contents by path; a `package.json` among them replaces the default one
 * @param packages the packages to install besides ours, in the format of `npm install`: `jest@30`
 */
export async function freshFolder(
  files: Readonly<Record<string, string>>,
  packages: readonly string[] = [],
): Promise<FreshFolder> {
  const path = await mkdtemp(join(tmpdir(), 'eventferry-fresh-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  const all = { 'package.json': '{ "name": "newcomer", "private": true }', ...files };
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  await run('npm', [...INSTALL, inject('tarball'), ...packages], path);
  return {
    path,
    node: (args, env) => start(process.execPath, args, path, env),
    bin: (name, args = [], env) => start(join(path, 'node_modules/.bin', name), args, path, env),
  };
}

function start(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Program {
  // Variables that the test runner sets for itself must not reach the newcomer's program.
  const { VITEST: _, NODE_ENV: __, NODE_OPTIONS: ___, ...outer } = process.env;
  const child = spawn(program, args, {
    cwd,
    env: { ...outer, DEBUG: '', XDG_STATE_HOME: join(cwd, '.state'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  const printed = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (stdout.includes(text)) resolve();
      };
      child.stdout.on('data', look);
      ended.then(
        () => reject(new Error(`The program ended without printing ${JSON.stringify(text)}\n${stdout}\n${stderr}`)),
        reject,
      );
      look();
    });
  return { child, ended, printed };
}
