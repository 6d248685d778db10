import { fstatSync, statSync } from 'node:fs';

/** Identifies the regular file that a path or a descriptor leads to, through links as well. Returns undefined if there is none. */
export function fileAt(file: string | number): string | undefined {
  try {
    const found = typeof file === 'number' ? fstatSync(file) : statSync(file);
    return found.isFile() ? `${found.dev}:${found.ino}` : undefined;
  } catch {
    return undefined;
  }
}
