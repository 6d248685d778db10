import { readFile, stat } from 'node:fs/promises';

/** What a file holds that `${file:…}` names, or why it is of no use. */
export type FileText =
  | { readonly text: string; readonly problem?: undefined }
  | { readonly text?: undefined; readonly problem: string };

/** By their absolute paths. */
export type FileTexts = ReadonlyMap<string, FileText>;

/** Secrets are short. */
const MAX_BYTES = 65_536;

/** Reads all of them. Never throws: what is wrong with a file is told where the configuration names it. */
export async function readSecretFiles(paths: Iterable<string>): Promise<FileTexts> {
  const files = Array.from(new Set(paths), async (path) => [path, await readOne(path)] as const);
  return new Map(await Promise.all(files));
}

/** The line break that editors and `echo` put at the end of a file belongs to no secret. */
async function readOne(path: string): Promise<FileText> {
  try {
    const found = await stat(path);
    // A pipe would be waited for.
    if (!found.isFile()) return { problem: found.isDirectory() ? 'a folder' : 'something that is no file' };
    if (found.size > MAX_BYTES) return { problem: `one of more than ${MAX_BYTES} bytes` };
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
