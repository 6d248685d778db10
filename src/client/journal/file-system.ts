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

/** Says whether a folder or a file that is open is in no folder any more. */
export const isUnlinked = (fs: FileSystem, handle: number): boolean => fs.fstatSync(handle).nlink === 0;

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

/** Overwrites the start of a file and keeps the rest. This needs no room on the disk where the file is long enough already. @throws the system's error */
export function writeOver(fs: FileSystem, path: string, bytes: Buffer, flushes = false): void {
  const handle = fs.openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    writeAll(fs, handle, bytes, bytes.length, 0);
    if (flushes) fs.fdatasyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/** Reads one file after the other into the same memory: a large journal would leave a buffer a batch to the garbage collector. */
export class FileReader {
  readonly #fs: FileSystem;
  #memory = Buffer.alloc(0);

  constructor(fs: FileSystem) {
    this.#fs = fs;
  }

  /** The bytes of a file, good until the next call; none where somebody has removed it. @throws the system's error */
  async read(path: string): Promise<Buffer> {
    const file = await this.#fs.promises.open(path).catch((error: unknown) => {
      // Where its folder is missing too, it may come back.
      if (systemCodeOf(error) !== 'ENOENT' || !this.#fs.existsSync(dirname(path))) throw error;
    });
    if (file === undefined) return this.#memory.subarray(0, 0);
    try {
      const { size } = await file.stat();
      if (size > this.#memory.length) this.#memory = Buffer.allocUnsafeSlow(Math.ceil(size / MEBIBYTE) * MEBIBYTE);
      let done = 0;
      for (let bytesRead = 1; bytesRead > 0 && done < size; done += bytesRead) {
        ({ bytesRead } = await file.read(this.#memory, done, size - done, done));
      }
      return this.#memory.subarray(0, done);
    } finally {
      await file.close();
    }
  }
}

const MEBIBYTE = 2 ** 20;

/** Says whether this process was the one to rename it. @throws the system's error */
export function renamed(fs: FileSystem, from: string, to: string): boolean {
  try {
    fs.renameSync(from, to);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Flushes each folder from one up to another: a new folder is on the disk only once the one above it is. @throws the system's error */
export async function flushFolders(fs: FileSystem, from: string, to: string): Promise<void> {
  const folder = await fs.promises.open(from);
  try {
    await folder.sync();
  } catch (error) {
    // Windows cannot flush a folder, and need not.
    if (!CANNOT_FLUSH.includes(systemCodeOf(error))) throw error;
  } finally {
    await folder.close();
  }
  if (from !== to && from !== dirname(from)) await flushFolders(fs, dirname(from), to);
}

const CANNOT_FLUSH: readonly string[] = ['EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP'];

/**
 * The disk on which all that root makes in a journal of somebody else belongs to that user, who could not read it otherwise. New folders
 * have the mode of the journal's folder, but that nobody outside of its group may enter them.
 *
 * @throws the system's error
 */
export function diskOf(fs: FileSystem, journal: string): FileSystem {
  const isRoot = process.geteuid?.() === 0;
  const owner = isRoot ? fs.statSync(journal, { throwIfNoEntry: false }) : undefined;
  return owner === undefined || owner.uid === 0 ? fs : givenTo(fs, owner);
}

export function givenTo(
  fs: FileSystem,
  { uid, gid, mode }: Readonly<Record<'uid' | 'gid' | 'mode', number>>,
): FileSystem {
  // A link of the user's gets the owner itself, and never its target.
  const give = (path: unknown): void => fs.lchownSync(String(path), uid, gid);
  const own: Partial<FileSystem> = {
    mkdirSync: ((path: string) => {
      fs.mkdirSync(path, { mode: mode & 0o770 });
      give(path);
    }) as FileSystem['mkdirSync'],
    openSync(path, flags, bits) {
      const handle = fs.openSync(path, flags, bits);
      if (Number(flags) & constants.O_CREAT) give(path);
      return handle;
    },
    writeFileSync(path, ...rest) {
      fs.writeFileSync(path, ...rest);
      give(path);
    },
    appendFileSync(path, ...rest) {
      fs.appendFileSync(path, ...rest);
      give(path);
    },
    // A socket is made by no call of the file system, and closed to others by this one.
    chmodSync: give,
  };
  return { ...fs, ...own };
}
