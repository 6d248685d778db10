import { fstatSync, statSync } from 'node:fs';

/** Says which regular file a path or a descriptor leads to, by links too; undefined if it leads to none. */
export function fileAt(file: string | number): string | undefined {
  try {
    const found = typeof file === 'number' ? fstatSync(file) : statSync(file);
    return found.isFile() ? `${found.dev}:${found.ino}` : undefined;
  } catch {
    return undefined;
  }
}
