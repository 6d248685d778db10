import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Script {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

const packageRoot = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a program that uses the built package by its name, in a process of its own. */
export function run(source: string, env: Record<string, string> = {}): Script {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    cwd: packageRoot,
    env: { ...process.env, DEBUG: '', ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { child, ended };
}
