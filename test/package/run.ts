import { execFile } from 'node:child_process';

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end; rejects with all it printed when it fails. */
export function run(program: string, args: readonly string[], cwd: string): Promise<Output> {
  return new Promise((resolve, reject) => {
    const options = { cwd, timeout: 60_000, maxBuffer: 16 * 1024 * 1024 };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ stdout, stderr });
      else reject(new Error(`${program} ${args.join(' ')} failed\n${stdout}\n${stderr}`, { cause: error }));
    });
  });
}
