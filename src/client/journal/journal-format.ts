import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { bytesIn, type FileSystem, writeFile } from './file-system.js';
import { ifRoom, PROBLEMS } from './system-errors.js';

/** The number of the journal's format. A version of the package whose files older versions cannot read has a higher number. */
const FORMAT = 1;

/** Returns the number with its checksum, so that damage does not look like a newer version. */
export const formatLine = (format: number): string => `${format} ${crc32(`${format}`).toString(16)}\n`;

/** Returns the format noted in a journal, or undefined if there is no readable note. @throws the system's error */
function formatIn(fs: FileSystem, journal: string): number | undefined {
  const text = bytesIn(fs, join(journal, 'format')).toString();
  const format = Number.parseInt(text, 10);
  return text === formatLine(format) ? format : undefined;
}

/** @throws JournalProblem if a newer version wrote the journal, or the system's error */
export function checkFormat(fs: FileSystem, journal: string): void {
  const format = formatIn(fs, journal);
  if (format !== undefined && format > FORMAT) throw PROBLEMS.newerVersion(journal, format);
}

/** Notes the format of a journal if none is noted, unless the disk is full. @throws any other error of the system */
export function noteFormat(fs: FileSystem, journal: string): void {
  if (formatIn(fs, journal) !== undefined) return;
  ifRoom(() => writeFile(fs, join(journal, 'format'), Buffer.from(formatLine(FORMAT))));
}
