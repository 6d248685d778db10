/** What the journal asks of the disk. Production passes `node:fs`; a test passes one that fails when it is told to. */
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
