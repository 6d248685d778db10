import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { bytesIn, type FileSystem } from './file-system.js';
import { isFull, NewerVersionProblem } from './system-errors.js';

/** The number of the format of what is in a journal. A version that cannot read an older one's files gives them another. */
const FORMAT = 1;

/** The number with its checksum, so that damage is told from a newer version. */
export const formatLine = (format: number): string => `${format} ${crc32(`${format}`).toString(16)}\n`;

/** The format that a journal says; undefined where it says none that can be read. @throws the system's error */
function formatIn(fs: FileSystem, journal: string): number | undefined {
  const text = bytesIn(fs, join(journal, 'format')).toString();
  const format = Number.parseInt(text, 10);
  return text === formatLine(format) ? format : undefined;
}

/** @throws NewerVersionProblem when this version cannot read a journal, or the system's error */
export function checkFormat(fs: FileSystem, journal: string): void {
  const format = formatIn(fs, journal);
  if (format !== undefined && format > FORMAT) throw new NewerVersionProblem(journal, format);
}

/** Notes the format of a journal, unless it says one. @throws the system's error, but where the disk is full: then it is noted later */
export function noteFormat(fs: FileSystem, journal: string): void {
  if (formatIn(fs, journal) !== undefined) return;
  try {
    fs.writeFileSync(join(journal, 'format'), formatLine(FORMAT), { mode: 0o600 });
  } catch (error) {
    if (!isFull(error)) throw error;
  }
}
