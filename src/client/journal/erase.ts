import { basename, join } from 'node:path';
import { foldersIn } from './client-folders.js';
import {
  damagedOf,
  deadLetterFilesIn,
  deadLettersOf,
  eraseLetters,
  type JournalDeadLetter,
  writerOf,
} from './dead-letter-file.js';
import { type FileSystem, listed, removeFile } from './file-system.js';
import type { Dropped } from './left-batches.js';

export interface DropDeadOptions {
  isMeant(letter: JournalDeadLetter): boolean;
  /** Whether to erase also what cannot be read, except in files that a living client may be writing. */
  readonly erasesDamage: boolean;
  /** The name of the client that calls this. It writes nothing in the meantime. */
  readonly own?: string | undefined;
}

/** Erases dead letters of a journal, one file at a time, with `erasesDamage` also damaged bytes. @throws the system's error */
export async function dropDead(fs: FileSystem, journal: string, options: DropDeadOptions): Promise<Dropped> {
  const { isMeant, erasesDamage, own } = options;
  const found = await foldersIn(fs, journal);
  const living = new Set(found.flatMap(({ path, state }) => (state === 'ended' ? [] : basename(path))));
  let [messages, damagedBytes] = [0, erasesDamage ? removeDamaged(fs, journal) : 0];
  for (const file of deadLetterFilesIn(fs, deadLettersOf(journal))) {
    const writer = writerOf(file) ?? '';
    const mayGrow = writer !== own && living.has(writer);
    const isPieceMeant = (letter: JournalDeadLetter | undefined, _: number, bytes: number): boolean => {
      const goes = letter === undefined ? erasesDamage && !mayGrow : isMeant(letter);
      if (!goes) return false;
      if (letter === undefined) damagedBytes += bytes;
      else messages++;
      return true;
    };
    eraseLetters(fs, file, isPieceMeant, !mayGrow);
  }
  return { messages, damagedBytes };
}

/** Removes a journal's files of damaged bytes. Returns the number of bytes. Another process may be erasing them too. */
function removeDamaged(fs: FileSystem, journal: string): number {
  let bytes = 0;
  for (const name of listed(fs, damagedOf(journal), 'files')) {
    const path = join(damagedOf(journal), name);
    bytes += fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    removeFile(fs, path);
  }
  return bytes;
}
