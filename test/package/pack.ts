import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Packs the built package into `folder`, as it would be published. Resolves with the path of the tarball. */
export async function pack(folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root);
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(folder, filename);
}

/** `npm` with these arguments installs what a `package.json` or a list of packages names, and runs no script of theirs. */
export const INSTALL: readonly string[] = [
  'install',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-package-lock',
  '--prefer-offline',
];
