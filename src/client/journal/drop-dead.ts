import { basename, join } from 'node:path';
import { type DeadLetter, deadLetterFilesIn, deadLettersOf, eraseLines, writerOf } from './dead-letter-file.js';
import type { Dropped } from './erase-messages.js';
import { type FileSystem, listed } from './file-system.js';
import { damagedOf } from './kept-aside.js';
import { foldersIn } from './owner-folder.js';

export interface DropDeadOptions {
  isMeant(letter: DeadLetter): boolean;
  /** True when all that cannot be read goes too, but for a line that a living client may be writing. */
  readonly erasesDamage: boolean;
  /** The name of the client that asks, which writes nothing meanwhile. */
  readonly own?: string | undefined;
}

/** Erases dead letters of a journal, one file at a time, and what clients have set aside as damaged. @throws the system's error */
export async function dropDead(fs: FileSystem, journal: string, options: DropDeadOptions): Promise<Dropped> {
  const { isMeant, erasesDamage, own } = options;
  const living = new Set(
    (await foldersIn(fs, journal)).flatMap(({ path, isAlive }) => (isAlive ? basename(path) : [])),
  );
  let [messages, damagedBytes] = [0, erasesDamage ? removeDamaged(fs, journal) : 0];
  for (const file of deadLetterFilesIn(fs, deadLettersOf(journal))) {
    const writer = writerOf(file) ?? '';
    const mayGrow = writer !== own && living.has(writer);
    eraseLines(fs, file, (letter, _, bytes) => {
      const goes = letter === undefined ? erasesDamage && !mayGrow : isMeant(letter);
      if (!goes) return false;
      if (letter === undefined) damagedBytes += bytes;
      else messages++;
      return true;
    });
  }
  return { messages, damagedBytes };
}

/** Removes the bytes that no message can be read from; returns how many. */
function removeDamaged(fs: FileSystem, journal: string): number {
  let bytes = 0;
  for (const name of listed(fs, damagedOf(journal))) {
    const path = join(damagedOf(journal), name);
    bytes += fs.statSync(path).size;
    fs.rmSync(path, { force: true });
  }
  return bytes;
}
