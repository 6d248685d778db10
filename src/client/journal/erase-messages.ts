import { basename, join } from 'node:path';
import { type FileSystem, listed, writeAll } from './file-system.js';
import {
  ERASED,
  type FoundRecord,
  footerOf,
  isWhole,
  messagesOf,
  recordsIn,
  type StoredMessage,
} from './message-record.js';
import { decodeHead, HEAD_BYTES, segmentNumberOf } from './segment-file.js';
import type { LeftSegment } from './segment-reader.js';

/** The result of a drop. */
export interface Dropped {
  readonly messages: number;
  /** The bytes of pieces from which no message can be read. */
  readonly damagedBytes: number;
}

export interface ErasureOptions {
  /** The segments that a reader of the folder reads. */
  readonly segments: readonly LeftSegment[];
  /** Says whether a message stays that can be read. */
  stays(sequence: number): boolean;
  /** Says whether bytes of a segment stay that no reader understands, as nobody can tell whose they are. @default none do */
  keepsDamage?(segment: LeftSegment): boolean;
}

/**
 * Writes over the messages of a folder that do not stay, where they are: it needs no room on the disk, and moves nothing. A reader
 * passes over what was erased. Files that nobody reads go.
 *
 * @throws the system's error
 */
export function eraseIn(fs: FileSystem, folder: string, options: ErasureOptions): void {
  for (const segment of options.segments) eraseInSegment(fs, segment, options);
  removeUnread(fs, folder, options.segments);
}

/** Removes the files of a folder that held segments. @throws the system's error */
export function removeUnread(fs: FileSystem, folder: string, segments: readonly { readonly path: string }[]): void {
  const read = new Set(segments.map(({ path }) => path));
  for (const name of listed(fs, folder)) {
    const path = join(folder, name);
    const isSpare = name.endsWith('.spare') || segmentNumberOf(name) !== undefined;
    if (isSpare && !read.has(path)) fs.rmSync(path, { force: true });
  }
}

/** Every byte of it either stays as it is or becomes a space, so that an erasure that is cut off has damaged nothing. */
export function eraseInSegment(
  fs: FileSystem,
  segment: LeftSegment,
  { stays, keepsDamage }: Omit<ErasureOptions, 'segments'>,
): void {
  const { path, first, next } = segment;
  const isKept = keepsDamage?.(segment) ?? false;
  const before = fs.readFileSync(path);
  const after = isKept ? Buffer.from(before) : Buffer.alloc(before.length, ERASED);
  if (decodeHead(before, segmentNumberOf(basename(path)) ?? 0) !== undefined) before.copy(after, 0, 0, HEAD_BYTES);
  const staysHere = ({ sequence, json }: StoredMessage): boolean =>
    json === undefined ? isKept : sequence < next && stays(sequence);
  for (const record of recordsIn(before, HEAD_BYTES, first ?? 0)) {
    if (record.isReadable) copyRecord(before, after, record, staysHere);
  }
  if (!after.equals(before)) overwrite(fs, path, after);
}

function copyRecord(from: Buffer, to: Buffer, record: FoundRecord, stays: (message: StoredMessage) => boolean): void {
  const messages = [...messagesOf(from, record)];
  from.copy(to, record.at, record.at, messages[0]?.at);
  if (isWhole(from, record)) from.copy(to, footerOf(record), footerOf(record), record.at + record.bytes);
  for (const message of messages) {
    const { at, bytes } = message;
    if (stays(message)) bytes.copy(to, at);
    else to.fill(ERASED, at, at + bytes.length);
  }
}

function overwrite(fs: FileSystem, path: string, bytes: Buffer): void {
  const handle = fs.openSync(path, 'r+');
  try {
    writeAll(fs, handle, bytes, bytes.length, 0);
    fs.fdatasyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}
