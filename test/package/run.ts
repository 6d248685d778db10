import { execFile } from 'node:child_process';

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * How long a compiler or an installation takes depends on the machine and the registry, so only a program that hangs is ended.
 */
const HANGS_MS = 300_000;

/** Runs a program to its end. Rejects with all its output if it fails. */
export function run(program: string, args: readonly string[], cwd: string): Promise<Output> {
  return new Promise((resolve, reject) => {
    const options = { cwd, timeout: HANGS_MS, maxBuffer: 16 * 1024 * 1024 };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ stdout, stderr });
      else reject(new Error(`${program} ${args.join(' ')} failed\n${stdout}\n${stderr}`, { cause: error }));
    });
  });
}
