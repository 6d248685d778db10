import { constants } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../base/process/make-folder.js';
import { PROBLEMS, systemCodeOf } from './system-errors.js';

/** The part of `node:fs` that the journal uses. Tests pass one that fails on demand. */
export type FileSystem = typeof import('node:fs');

/** Returns the result of `act`, or undefined if its file or folder is not there any more. @throws the system's error */
export function ifThere<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The system's codes for a path at which there is a link, a folder or a socket instead of a file. FreeBSD has EMLINK. */
const NO_FILE: readonly string[] = ['ELOOP', 'EMLINK', 'EISDIR', 'ENXIO'];

/** Windows has neither flag. Without the second one, opening a pipe would wait for ever. */
const PLAIN = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a plain file of a journal. It follows no link: the owner of the journal could otherwise make root, who also uses the
 * journal, change any file.
 *
 * @throws JournalProblem, or the system's error
 */
export function openPlain(fs: FileSystem, path: string, flags = constants.O_RDWR): number {
  let handle: number;
  try {
    handle = fs.openSync(path, flags | PLAIN, 0o600);
  } catch (error) {
    throw NO_FILE.includes(systemCodeOf(error)) ? PROBLEMS.stranger(path) : error;
  }
  if (fs.fstatSync(handle).isFile()) return handle;
  fs.closeSync(handle);
  throw PROBLEMS.stranger(path);
}

/** Opens a plain file while `act` uses it. @throws JournalProblem, or the system's error */
export function withPlain<T>(fs: FileSystem, path: string, flags: number, act: (handle: number) => T): T {
  const handle = openPlain(fs, path, flags);
  try {
    return act(handle);
  } finally {
    fs.closeSync(handle);
  }
}

export const isLink = (fs: FileSystem, path: string): boolean =>
  fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** Checks that a folder below a journal's is no link. The path of the journal itself may be one. @throws JournalProblem */
export function checkFolder(fs: FileSystem, path: string): void {
  if (isLink(fs, path)) throw PROBLEMS.stranger(path);
}

/** Makes a folder below a journal's and its missing parents. @throws JournalProblem, or the system's error */
export function makePlainFolder(fs: FileSystem, path: string): string {
  checkFolder(fs, path);
  return makeFolder(fs, path);
}

/**
 * Lists the names of the plain files or of the folders in a folder, sorted. The journal makes nothing else that has to be listed,
 * so this ignores links and everything of another kind. A folder that does not exist has no names.
 *
 * @throws JournalProblem, or the system's error
 */
export function listed(fs: FileSystem, folder: string, kind: 'files' | 'folders'): string[] {
  checkFolder(fs, folder);
  const found = ifThere(() => fs.readdirSync(folder, { withFileTypes: true })) ?? [];
  return found.flatMap((each) => ((kind === 'files' ? each.isFile() : each.isDirectory()) ? each.name : [])).sort();
}

/** Tells whether a path certainly does not exist. `existsSync` returns false also when the disk fails. */
export function isGone(fs: FileSystem, path: string): boolean {
  try {
    return fs.statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** Tells whether an open file or folder was removed. */
export const isUnlinked = (fs: FileSystem, handle: number): boolean => fs.fstatSync(handle).nlink === 0;

/** Returns the bytes of a file. A file that does not exist has none. @throws JournalProblem, or the system's error */
export const bytesIn = (fs: FileSystem, path: string): Buffer =>
  ifThere(() => withPlain(fs, path, constants.O_RDONLY, (handle) => fs.readFileSync(handle))) ?? Buffer.alloc(0);

/** Removes a file if it exists. It needs one system call where `rmSync` needs three. @throws the system's error */
export const removeFile = (fs: FileSystem, path: string): void => ifThere(() => fs.unlinkSync(path));

/** Writes the first `length` bytes. @throws the system's error; a part of the bytes may be written by then */
export function writeAll(fs: FileSystem, handle: number, bytes: Buffer, length: number, position: number): void {
  for (let done = 0; done < length; ) done += fs.writeSync(handle, bytes, done, length - done, position + done);
}

/**
 * Writes a file from its start, and makes it if there is none.
 *
 * @param keepsRest whether the bytes after the written ones stay. A file that is long enough then needs no room
 * @throws JournalProblem, or the system's error
 */
export function writeFile(fs: FileSystem, path: string, bytes: Buffer, keepsRest = false): void {
  const flags = constants.O_RDWR | constants.O_CREAT | (keepsRest ? 0 : constants.O_TRUNC);
  withPlain(fs, path, flags, (handle) => writeAll(fs, handle, bytes, bytes.length, 0));
}

/** Reads files one after the other into the same memory. Otherwise a large journal would leave a buffer per batch as garbage. */
export class FileReader {
  readonly #fs: FileSystem;
  #memory = Buffer.alloc(0);

  constructor(fs: FileSystem) {
    this.#fs = fs;
  }

  /** Returns the bytes of a file, which are valid until the next call. A removed file has none. @throws the system's error */
  async read(path: string): Promise<Buffer> {
    const file = await this.#fs.promises.open(path, constants.O_RDONLY | PLAIN).catch((error: unknown) => {
      // If the folder is missing too, it may have been moved and may come back.
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

/** Renames a file or folder. Returns false if it is not there any more. @throws the system's error */
export const renamed = (fs: FileSystem, from: string, to: string): boolean =>
  ifThere(() => {
    fs.renameSync(from, to);
    return true;
  }) === true;

/** Flushes a folder and its parents up to `to`: a new folder is on the disk once its parent is. @throws the system's error */
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
 * Returns a file system that gives everything that root makes in another user's journal to that user, who could not read it
 * otherwise. New folders get the mode of the journal's folder, without access for users outside its group.
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
  // This changes the owner of a link itself, never of the file that it points to.
  const give = (path: unknown): void => fs.lchownSync(String(path), uid, gid);
  const own: Partial<FileSystem> = {
    mkdirSync: ((path: string) => {
      fs.mkdirSync(path, { mode: mode & 0o770 });
      give(path);
    }) as FileSystem['mkdirSync'],
    openSync(path, flags, bits) {
      const handle = fs.openSync(path, flags, bits);
      // Unlike its path, the handle cannot come to mean another file.
      if (Number(flags) & constants.O_CREAT) fs.fchownSync(handle, uid, gid);
      return handle;
    },
    // A socket is not made through the file system, but the journal restricts its mode with this call.
    chmodSync: give,
  };
  return { ...fs, ...own };
}
