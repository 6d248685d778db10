import { join } from 'node:path';
import type { Ended } from './ended-file.js';
import { type FileSystem, listed, writeAll } from './file-system.js';
import { ERASED, type FoundRecord, messagesOf, recordsIn } from './record.js';
import { HEAD_BYTES, segmentNumberOf } from './segment-file.js';

/** Says whether a message is to be erased. @param json undefined when it cannot be read */
export type IsMeant = (json: Buffer | undefined) => boolean;

/**
 * Writes over the messages of a folder that are meant, and over all that have ended, where they are: it needs no room on the disk,
 * and leaves every other byte alone. A reader passes over what was erased. Files that nobody reads again go, and so does what is
 * behind the last record.
 *
 * @returns how many of them had not ended
 * @throws the system's error
 */
export function eraseIn(fs: FileSystem, folder: string, ended: Ended | undefined, isMeant: IsMeant): number {
  let erased = 0;
  for (const name of listed(fs, folder)) {
    const path = join(folder, name);
    if (name.endsWith('.spare')) fs.rmSync(path, { force: true });
    if (segmentNumberOf(name) !== undefined) erased += eraseInSegment(fs, path, ended, isMeant);
  }
  return erased;
}

function eraseInSegment(fs: FileSystem, path: string, ended: Ended | undefined, isMeant: IsMeant): number {
  const segment = fs.readFileSync(path);
  const handle = fs.openSync(path, 'r+');
  let [erased, end] = [0, HEAD_BYTES];
  try {
    for (const record of recordsIn(segment, HEAD_BYTES, 0)) {
      end = record.at + record.bytes;
      for (const { bytes, at, isWaiting } of erasableIn(segment, record, ended, isMeant)) {
        writeAll(fs, handle, Buffer.alloc(bytes.length, ERASED), bytes.length, at);
        if (isWaiting) erased++;
      }
    }
    if (end < segment.length) fs.ftruncateSync(handle, end);
    fs.fdatasyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
  return erased;
}

function* erasableIn(segment: Buffer, record: FoundRecord, ended: Ended | undefined, isMeant: IsMeant) {
  if (!record.isReadable) return;
  for (const { sequence, json, bytes, at, isErased } of messagesOf(segment, record)) {
    const isWaiting = ended?.sequences.has(sequence) !== true;
    if (!isErased && (!isWaiting || isMeant(json))) yield { bytes, at, isWaiting };
  }
}
