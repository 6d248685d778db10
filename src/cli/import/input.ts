import { constants, createReadStream, openSync, type Stats } from 'node:fs';
import { open as openFile, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { basename, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { isGzip } from '../../base/text/file-text.js';
import { CliError, reasonOf, unusable } from '../cli-error.js';
import { STANDARD_INPUT, unreadable } from '../options/file.js';
import { begin, refuseOthers } from './first-bytes.js';

/** A file to read rows from. */
export interface InputFile {
  /** The name as it was given. */
  readonly name: string;
  /** The absolute path, or `-` for standard input. */
  readonly path: string;
  readonly format: 'ndjson' | 'csv' | 'text';
  /** The delimiter of CSV according to the file's name. */
  readonly delimiter: string;
  /** True if it can be read again, and from any byte. Standard input and pipes cannot. */
  readonly isFile: boolean;
  /** The size on disk in bytes; undefined for standard input and pipes. */
  readonly size: number | undefined;
  /** True if the file is compressed. */
  readonly isGzip: boolean;
  /** The time of the file's last change, in ms since 1970; undefined for standard input and pipes. */
  readonly modifiedMs?: number | undefined;
}

/** The paths that mean standard input. They are not opened, because standard input may be a socket, which has no path to open. */
const STANDARD_INPUT_PATHS = [STANDARD_INPUT, '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'];

/** @throws CliError when there is no such file */
export async function inputOf(name: string, format: InputFile['format'] | undefined): Promise<InputFile> {
  const plain = basename(name).replace(/\.gz$/i, '');
  const byName = /\.(csv|tsv)$/i.test(plain) ? 'csv' : 'ndjson';
  const known = { name, format: format ?? byName, delimiter: /\.tsv$/i.test(plain) ? '\t' : ',' };
  const unsized = { ...known, isFile: false, size: undefined, isGzip: false };
  if (STANDARD_INPUT_PATHS.includes(name)) return { ...unsized, path: STANDARD_INPUT };
  const path = resolve(name);
  try {
    const stats = await stat(name);
    // Opening and closing a pipe to read its first bytes would end the program that writes to it.
    if (stats.isFIFO()) return { ...unsized, path };
    await using file = await openFile(name);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return {
      ...known,
      path,
      isFile: true,
      size: stats.size,
      modifiedMs: stats.mtimeMs,
      isGzip: isGzip(buffer.toString('latin1', 0, bytesRead)),
    };
  } catch (error) {
    throw unreadable(name, error);
  }
}

/** Returns the size of all inputs in bytes, or undefined if one has no size. */
export function sizeOfAll(inputs: readonly InputFile[]): number | undefined {
  const bytes = inputs.reduce((sum, { size = Number.NaN }) => sum + size, 0);
  return Number.isNaN(bytes) ? undefined : bytes;
}

/** Returns a stamp by path for each file, which changes when the file does. Standard input and pipes have none. */
export const stampsOf = (inputs: readonly InputFile[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    inputs.filter(({ isFile }) => isFile).map(({ path, size, modifiedMs }) => [path, `${size} bytes of ${modifiedMs}`]),
  );

/** An opened input, decompressed. */
export interface OpenInput {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Bytes read from the disk, before decompression. */
  bytesRead(): number;
  /** Ends the chunks, even while a reader waits for the next one. */
  close(): void;
}

/** Opens an input at the byte `start`, which must be 0 unless the input is an uncompressed file. */
export function open(input: InputFile, start: number, stdin: Readable): OpenInput {
  const { name, path, isFile } = input;
  const source = path === STANDARD_INPUT ? stdin : isFile ? createReadStream(path, { start }) : openPipe(path);
  // The source may fail before it is read. The reader gets that error later.
  source.on('error', () => {});
  let bytes = start;
  const count = async function* (): AsyncGenerator<Uint8Array> {
    let before: Stats | undefined;
    try {
      before = isFile ? await stat(path) : undefined;
      for await (const chunk of source as AsyncIterable<Uint8Array>) {
        bytes += chunk.length;
        yield chunk;
      }
    } catch (error) {
      throw unreadable(name, error);
    }
    // This is checked after the last chunk but before the rows end, so that a half-written last line does not count as a row.
    if (before !== undefined && (await hasChanged(path, before))) {
      throw unusable(`${name} changed during the import; start again with a file that no program writes to`);
    }
  };
  const chunks = start > 0 ? count() : unpack(input, count());
  return { chunks, bytesRead: () => bytes, close: () => source.destroy() };
}

/** Opens a named pipe without blocking. Opened like a file, it would keep the process alive until a program writes to it. */
const openPipe = (path: string): Readable =>
  new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), writable: false });

/** Tells whether a file has changed. A file that was replaced by another has not, because the import reads the old one. */
async function hasChanged(path: string, before: Stats): Promise<boolean> {
  const now = await stat(path).catch(() => undefined);
  return now !== undefined && now.ino === before.ino && (now.size !== before.size || now.mtimeMs !== before.mtimeMs);
}

/** @throws CliError before the first chunk if the input does not begin as its format does */
async function* unpack(input: InputFile, packed: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const begun = await begin(packed);
  const { head, chunks } = isGzip(begun.head) ? await begin(gunzip(begun.chunks, input.name)) : begun;
  refuseOthers(head, input);
  yield* chunks;
}

async function* gunzip(chunks: AsyncGenerator<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const unpacked = createGunzip();
  // An error of one stream destroys both. The reader gets the error.
  pipeline(chunks, unpacked).catch(() => {});
  try {
    yield* unpacked;
  } catch (error) {
    throw error instanceof CliError ? error : unusable(`${name} is no valid gzip: ${reasonOf(error)}`);
  }
}
