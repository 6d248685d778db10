import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

/** Copies an example to a folder in which the installed frameworks are found. The copy is removed when the test ends. */
export async function copyOfExample(name: string): Promise<string> {
  const folder = await mkdtemp(join(import.meta.dirname, 'app-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(join(import.meta.dirname, '../../examples', name), folder, { recursive: true });
  return folder;
}

export interface Program {
  /** Resolves with the first group of the first match in the program's output. */
  printed(pattern: RegExp): Promise<string>;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  readonly output: () => string;
  signal(signal: NodeJS.Signals): void;
}

/** Starts a program, and stops it when the test ends. */
export function start(bin: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): Program {
  const program = launch(bin, args, cwd, env);
  onTestFinished(async () => {
    program.signal('SIGTERM');
    await program.ended;
  });
  return program;
}

/** Starts a program that a package of this folder has installed, or one with an absolute path. The caller must stop it. */
export function launch(bin: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): Program {
  const program = resolve(import.meta.dirname, 'node_modules', bin);
  // Variables that the test runner sets for itself must not reach the app.
  const { VITEST: _, NODE_ENV: __, NODE_OPTIONS: ___, ...outer } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { ...outer, DEBUG: '', NEXT_TELEMETRY_DISABLED: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = new Promise<number | null>((end) => child.on('close', end));
  const printed = (pattern: RegExp): Promise<string> =>
    new Promise((find, reject) => {
      const look = (): void => {
        const [, found] = pattern.exec(output) ?? [];
        if (found !== undefined) find(found);
      };
      const note = (chunk: Buffer): void => {
        output += chunk;
        look();
      };
      child.stdout.on('data', note);
      child.stderr.on('data', note);
      ended.then(() => reject(new Error(`The program ended without printing ${pattern}\n${output}`)));
      look();
    });
  // Reading must start immediately, because a pipe that nobody reads would stop the program.
  printed(/(?!)/).catch(() => {});
  return { printed, ended, output: () => output, signal: (signal) => void child.kill(signal) };
}
