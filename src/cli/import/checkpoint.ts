import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { parseJson } from '../../base/text/decode.js';
import { codeOf, reasonOf, unusable } from '../cli-error.js';

/** A part of the checksum. Increase it when the fields of a checkpoint change. */
const FORMAT = 4;

/** A row: the index of its file, its line, and the digest of its text, which shows whether the file has changed. */
export interface Position {
  readonly file: number;
  readonly line: number;
  readonly digest: string;
}

/**
 * The progress of an import. Every row up to `last` has ended, with an answer of the collector. The file is written before the
 * first request, and stays when the import has finished.
 */
export interface Checkpoint {
  /** The digest of the names of the files and of the options, some of which are secret. */
  readonly options: string;
  /** The digest of the write key; undefined until a row has ended, because until then the key may have been wrong. */
  readonly writeKey?: string | undefined;
  /** The last row that has ended; undefined if none has. */
  readonly last?: Position | undefined;
  /** The length of the file of rejected rows, in bytes. */
  readonly rejectsBytes: number;
}

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** @throws CliError when the file is not a checkpoint */
export async function readCheckpoint(path: string): Promise<Checkpoint | undefined> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (codeOf(error) === 'ENOENT') return '';
    throw unusable(`${path}: ${reasonOf(error)}`);
  });
  // `mktemp` makes an empty file.
  if (text === '') return undefined;
  const { checksum, ...checkpoint } = Object(parseJson(text));
  // Only this program writes the right checksum, and only over a checkpoint.
  if (checksum === checksumOf(checkpoint)) return checkpoint as Checkpoint;
  throw unusable(`${path} is not a checkpoint of an import; give another --checkpoint, or --restart to replace it`);
}

/** Without it, a damaged digit could make an import skip rows silently. */
const checksumOf = (checkpoint: object): string => digestOf(`${FORMAT} ${JSON.stringify(checkpoint)}`);

/** Returns the paths that an import writes for its checkpoint: the file, and a draft of it. */
export const pathsOf = (path: string): readonly [file: string, draft: string] => [path, `${path}.new`];

/**
 * Writes a new file and moves it into place, so that an interruption leaves the old checkpoint or the new one.
 *
 * @throws CliError if it cannot be written
 */
export async function writeCheckpoint(path: string, checkpoint: Checkpoint): Promise<void> {
  const [, draft] = pathsOf(path);
  try {
    const written = { ...checkpoint, checksum: checksumOf(checkpoint) };
    await writeFile(draft, `${JSON.stringify(written, null, 2)}\n`, { flush: true });
    await rename(draft, path);
  } catch (error) {
    throw unusable(`cannot write the checkpoint: ${reasonOf(error)}; give --checkpoint FILE to put it elsewhere`);
  }
}
