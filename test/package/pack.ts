import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Packs the built package into `folder`, as for publishing. Resolves with the path of the tarball. */
export async function pack(folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root);
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(folder, filename);
}

/** The arguments with which `npm` installs a `package.json` or a list of packages without running their scripts. */
export const INSTALL: readonly string[] = [
  'install',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-package-lock',
  '--prefer-offline',
];
