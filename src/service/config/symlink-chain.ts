import { readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, parse, resolve, sep } from 'node:path';

/** A name in a folder: a symbolic link, or the file at the end. */
export interface Symlink {
  readonly folder: string;
  readonly name: string;
}

/** The limit of Linux on the links that a path may follow. */
const MAX_LINKS = 40;

/**
 * Returns every entry whose change can change a file: each link on the way to it, and the file itself last. Kubernetes, for
 * example, changes a mounted file by swapping a link to its folder.
 */
export async function symlinkChain(file: string): Promise<Symlink[]> {
  const chain: Symlink[] = [];
  let links = 0;
  let folder = parse(resolve(file)).root;
  const names = partsOf(resolve(file));
  for (let name = names.shift(); name !== undefined && links <= MAX_LINKS; name = names.shift()) {
    if (name === '..') {
      folder = dirname(folder);
      continue;
    }
    const target = await readlink(join(folder, name)).catch(() => undefined);
    if (target !== undefined || names.length === 0) chain.push({ folder, name });
    if (target === undefined) {
      folder = join(folder, name);
      continue;
    }
    links++;
    if (isAbsolute(target)) folder = parse(target).root;
    names.unshift(...partsOf(target));
  }
  return chain;
}

const partsOf = (path: string): string[] =>
  path
    .slice(parse(path).root.length)
    .split(sep)
    .filter((name) => name !== '' && name !== '.');
