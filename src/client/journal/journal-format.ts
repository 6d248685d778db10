import { join } from 'node:path';
import { bytesIn, type FileSystem } from './file-system.js';
import { isFull, NewerVersionProblem } from './system-errors.js';

/** The number of the format of what is in a journal. A version that cannot read an older one's files gives them another. */
const FORMAT = 1;

/** @throws NewerVersionProblem when this version cannot read a journal, or the system's error */
export function checkFormat(fs: FileSystem, journal: string): void {
  const format = Number.parseInt(bytesIn(fs, join(journal, 'format')).toString(), 10);
  if (format > FORMAT) throw new NewerVersionProblem(journal, format);
}

/** Notes the format of a journal, unless it says one. @throws the system's error, but where the disk is full: then it is noted later */
export function noteFormat(fs: FileSystem, journal: string): void {
  const path = join(journal, 'format');
  if (fs.existsSync(path)) return;
  try {
    fs.writeFileSync(path, `${FORMAT}\n`, { mode: 0o600 });
  } catch (error) {
    if (!isFull(error)) throw error;
  }
}
