import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
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

/** Runs a command as process 1 of a new namespace, as in a container. */
export const AS_PROCESS_1 = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child'] as const;

/** True if a process cannot be process 1 of a namespace: only Linux has `unshare`, and a container may forbid it. */
export const lacksNamespaces = spawnSync(AS_PROCESS_1[0], [...AS_PROCESS_1.slice(1), 'true']).status !== 0;

/** Runs a program that uses the built package by its name, in a separate process. */
export const run = (source: string, env: Record<string, string> = {}): Script => start([], source, env);

/** Runs a program as process 1 of a container. */
export const runAsProcess1 = (source: string): Script => start(AS_PROCESS_1, source, {});

function start(under: readonly string[], source: string, env: Record<string, string>): Script {
  const [program = process.execPath, ...args] = [...under, process.execPath, '--input-type=module', '--eval', source];
  const child = spawn(program, args, {
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
