import { join } from 'node:path';
import { makeFolder } from '../../base/process/make-folder.js';
import { ENDED_NAMES } from './ended-file.js';
import { type FileSystem, removeAll, renamed } from './file-system.js';
import { SOURCE_NAME } from './journal-source.js';
import { NOTE } from './owner-note.js';
import { isFull } from './system-errors.js';

/** It is longer than any note of an owner or of a source. */
const BLANK = ' '.repeat(1_024);

/** The number of clients that may begin one after the other on a disk that stays full. */
const RESERVES = 3;

const reservesOf = (journal: string): string => join(journal, 'reserve');

/**
 * Makes the folder of an owner that nobody is named in yet, with room for all that a client notes in it. On a full disk it takes one
 * that was made before: to send what is there needs no room then.
 *
 * @throws the system's error
 */
export function makeDraft(fs: FileSystem, journal: string, draft: string): void {
  try {
    makeBlank(fs, draft);
  } catch (error) {
    if (!isFull(error) || !reserves(journal).some((reserve) => renamed(fs, reserve, draft))) throw error;
  }
}

/** Makes the reserves that are missing, as far as the disk has room. */
export function refillReserves(fs: FileSystem, journal: string, draft: string): void {
  try {
    for (const reserve of reserves(journal).filter((path) => !fs.existsSync(path))) {
      makeFolder(fs, reservesOf(journal));
      makeBlank(fs, draft);
      // Another client may have made it meanwhile.
      if (!renamed(fs, draft, reserve)) removeAll(fs, draft);
    }
  } catch {
    // The next client tries again.
  }
}

const reserves = (journal: string): string[] =>
  Array.from({ length: RESERVES }, (_, index) => join(reservesOf(journal), String(index)));

function makeBlank(fs: FileSystem, draft: string): void {
  try {
    fs.mkdirSync(draft, { mode: 0o700 });
    for (const name of [NOTE, SOURCE_NAME, ...ENDED_NAMES]) fs.writeFileSync(join(draft, name), BLANK, { mode: 0o600 });
  } catch (error) {
    removeAll(fs, draft);
    throw error;
  }
}
