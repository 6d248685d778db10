import { dirname } from 'node:path';

type FolderMaker = Pick<typeof import('node:fs'), 'existsSync' | 'mkdirSync' | 'statSync'>;

/**
 * Makes a folder and its missing parents; returns the deepest folder that already existed. Node's recursive `mkdir` never returns
 * if a file system reports ENOENT for a name that it refuses.
 *
 * @throws the system's error
 */
export function makeFolder(fs: FolderMaker, path: string): string {
  const above = dirname(path);
  const there = fs.existsSync(above) || above === path ? above : makeFolder(fs, above);
  try {
    fs.mkdirSync(path, { mode: 0o700 });
    return there;
  } catch (error) {
    const found = fs.statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) return path;
    throw found === undefined ? error : Object.assign(new Error(`${path} is a file, not a folder`), { code: 'EEXIST' });
  }
}
