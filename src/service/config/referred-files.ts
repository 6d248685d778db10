import { readFile, stat } from 'node:fs/promises';
import { type FileText, textIn } from '../../base/text/file-text.js';

/** The contents by absolute path. */
export type FileTexts = ReadonlyMap<string, FileText>;

const MAX_BYTES = 65_536;

/**
 * Reads all files. It never throws; a problem with a file is reported where the configuration names the file.
 *
 * @param maxBytes the size limit of each file. @default 65,536, because secrets are short
 */
export async function readReferredFiles(paths: Iterable<string>, maxBytes = MAX_BYTES): Promise<FileTexts> {
  const files = Array.from(new Set(paths), async (path) => [path, await readOne(path, maxBytes)] as const);
  return new Map(await Promise.all(files));
}

/** Reads a file without the line break at its end, which editors and `echo` add. */
async function readOne(path: string, maxBytes: number): Promise<FileText> {
  try {
    const found = await stat(path);
    // Reading a pipe would block.
    if (!found.isFile()) return { problem: found.isDirectory() ? 'a folder' : 'something that is not a file' };
    if (found.size > maxBytes) return { problem: `one of more than ${maxBytes} bytes` };
    const { text, problem } = textIn(await readFile(path), 'text');
    return text === undefined ? { problem: `one that is ${problem}` } : { text: text.replace(/\r?\n$/, '') };
  } catch (error) {
    return { problem: UNREADABLE[(error as NodeJS.ErrnoException).code ?? ''] ?? 'one that cannot be read' };
  }
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EACCES: 'one without permission to read it',
};
