import { readFile, stat } from 'node:fs/promises';

/** The text of a file that the configuration names, or why it cannot be read. */
export type FileText =
  | { readonly text: string; readonly problem?: undefined }
  | { readonly text?: undefined; readonly problem: string };

/** By their absolute paths. */
export type FileTexts = ReadonlyMap<string, FileText>;

const MAX_BYTES = 65_536;

/**
 * Reads all of them. Never throws: a file's problem is reported where the configuration names the file.
 *
 * @param maxBytes of one file. @default 65,536, as secrets are short
 */
export async function readReferredFiles(paths: Iterable<string>, maxBytes = MAX_BYTES): Promise<FileTexts> {
  const files = Array.from(new Set(paths), async (path) => [path, await readOne(path, maxBytes)] as const);
  return new Map(await Promise.all(files));
}

/** Reads a file without the line break at its end, which editors and `echo` write. */
async function readOne(path: string, maxBytes: number): Promise<FileText> {
  try {
    const found = await stat(path);
    // A pipe would block.
    if (!found.isFile()) return { problem: found.isDirectory() ? 'a folder' : 'something that is no file' };
    if (found.size > maxBytes) return { problem: `one of more than ${maxBytes} bytes` };
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
    return { text: text.replace(/\r?\n$/, '') };
  } catch (error) {
    return { problem: UNREADABLE[(error as NodeJS.ErrnoException).code ?? ''] ?? 'one that cannot be read' };
  }
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EACCES: 'one without permission to read it',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'one that is not UTF-8 text',
};
