import { constants } from 'node:fs';
import { dirname } from 'node:path';

/** The part of `node:fs` that the journal uses. A test passes one that fails when it is told to. */
export type FileSystem = typeof import('node:fs');

/** The system's code of an error, such as ENOENT; empty when it has none. */
export const systemCodeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** The names in a folder, sorted; none when there is no such folder. @throws the system's error */
export function listed(fs: FileSystem, folder: string): string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Says whether there is surely nothing at a path. `existsSync` says so too when the disk fails. */
export function isGone(fs: FileSystem, path: string): boolean {
  try {
    return fs.statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** The bytes of a file; none when there is no such file. @throws the system's error */
export function bytesIn(fs: FileSystem, path: string): Buffer {
  try {
    return fs.readFileSync(path);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

/** Writes all of `length` bytes. @throws the system's error, after which a part of them may be written */
export function writeAll(fs: FileSystem, handle: number, bytes: Buffer, length: number, position: number): void {
  for (let done = 0; done < length; ) done += fs.writeSync(handle, bytes, done, length - done, position + done);
}

/** Writes text to the start of a file, and leaves what is behind it: where the file had room, none is needed. @throws the system's error */
export function writeOver(fs: FileSystem, path: string, text: string): void {
  const handle = fs.openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const bytes = Buffer.from(text);
    writeAll(fs, handle, bytes, bytes.length, 0);
  } finally {
    fs.closeSync(handle);
  }
}

/** Removes a folder, or as much of it as the system lets it. Whoever looks next tries again. */
export function removeAll(fs: FileSystem, folder: string): void {
  try {
    fs.rmSync(folder, { recursive: true, force: true });
  } catch {
    // It says nothing of what is in there.
  }
}

/** Says whether this process was the one to rename it. */
export function renamed(fs: FileSystem, from: string, to: string): boolean {
  try {
    fs.renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

/** Flushes each folder from one up to another: a new folder is on the disk only once the one above it is. @throws the system's error */
export async function flushFolders(fs: FileSystem, from: string, to: string): Promise<void> {
  await flushFolder(fs, from);
  if (from !== to && from !== dirname(from)) await flushFolders(fs, dirname(from), to);
}

/** Resolves when the names in a folder are on the disk. @throws the system's error */
export async function flushFolder(fs: FileSystem, path: string): Promise<void> {
  const folder = await fs.promises.open(path);
  try {
    await folder.sync();
  } catch (error) {
    // Windows cannot flush a folder, and need not.
    if (!CANNOT_FLUSH.includes(systemCodeOf(error))) throw error;
  } finally {
    await folder.close();
  }
}

const CANNOT_FLUSH: readonly string[] = ['EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP'];
