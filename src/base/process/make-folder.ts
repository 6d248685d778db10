import { dirname } from 'node:path';

type FolderMaker = Pick<typeof import('node:fs'), 'existsSync' | 'mkdirSync' | 'statSync'>;

/**
 * Makes a folder and those above it; returns the lowest that was there before. Node's own way does not end where a file system
 * refuses a name as not found.
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
