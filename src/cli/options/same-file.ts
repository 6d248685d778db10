import { fstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError } from '../cli-error.js';

/** The most links that Linux follows. */
const MOST_LINKS = 40;

/** A file, given by its path or descriptor, and its role in words. A role without a file is not used. */
type Used = readonly [what: string, file: string | number | undefined];

/** Identifies the regular file to which a path or a descriptor leads, following links. Returns undefined if there is none. */
export function fileAt(file: string | number): string | undefined {
  try {
    const found = typeof file === 'number' ? fstatSync(file) : statSync(file);
    return found.isFile() ? `${found.dev}:${found.ino}` : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Checks, before anything is opened, that no file that a command writes is also read, or written for another purpose.
 *
 * @throws CliError
 */
export function keepApart(written: readonly Used[], read: readonly Used[]): void {
  const uses = new Map<string, string>();
  for (const used of [...read, ...written]) {
    const [what, file] = used;
    if (file === undefined) continue;
    const place = fileAt(file) ?? (typeof file === 'number' ? `descriptor ${file}` : placeOf(resolve(file)));
    const other = uses.get(place);
    if (other !== undefined && written.includes(used))
      throw new CliError(`${what} would overwrite ${other}; give another name`);
    uses.set(place, what);
  }
}

/** Returns the path at which a file would be created, because a link may lead to a file that does not exist yet. */
function placeOf(path: string, links = 0): string {
  try {
    const folder = realpathSync(dirname(path));
    const place = join(folder, basename(path));
    try {
      return links < MOST_LINKS ? placeOf(resolve(folder, readlinkSync(place)), links + 1) : place;
    } catch {
      return place;
    }
  } catch {
    return path;
  }
}
