import { constants, createReadStream, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { isGzip, LOOKED_AT } from '../../base/text/file-text.js';
import { CliError, reasonOf, unusable } from '../cli-error.js';
import { STANDARD_INPUT, unreadable } from '../options/file.js';
import { refuseOthers } from './first-bytes.js';

/** A file to read rows from. */
export interface InputFile {
  /** The name as it was given. */
  readonly name: string;
  /** The absolute path, or `-` for standard input. */
  readonly path: string;
  readonly format: 'ndjson' | 'csv' | 'text';
  /** The text between two values of CSV. */
  readonly delimiter: string;
  /** The size on disk in bytes; undefined for standard input and pipes, which can be read only once. */
  readonly size: number | undefined;
}

/** The options that say how to read a file. */
export interface InputOptions {
  /** @default the format by the file's name */
  readonly format?: InputFile['format'] | undefined;
  /** @default a tab in a .tsv file, and otherwise a comma */
  readonly delimiter?: string | undefined;
}

/** The paths that mean standard input. They are not opened, because standard input may be a socket, which has no path to open. */
const STANDARD_INPUT_PATHS = [STANDARD_INPUT, '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'];

/** @throws CliError when there is no such file */
export async function inputOf(name: string, { format, delimiter }: InputOptions = {}): Promise<InputFile> {
  const [, ending] = /\.(csv|tsv)(?:\.gz)?$/i.exec(name) ?? [];
  const known = {
    name,
    format: format ?? (ending === undefined ? 'ndjson' : 'csv'),
    delimiter: delimiter ?? (ending?.toLowerCase() === 'tsv' ? '\t' : ','),
  };
  if (STANDARD_INPUT_PATHS.includes(name)) return { ...known, path: STANDARD_INPUT, size: undefined };
  try {
    const stats = await stat(name);
    return { ...known, path: resolve(name), size: stats.isFIFO() ? undefined : stats.size };
  } catch (error) {
    throw unreadable(name, error);
  }
}

/** Returns the size of all inputs in bytes, or undefined if one has no size. */
export function sizeOfAll(inputs: readonly InputFile[]): number | undefined {
  const bytes = inputs.reduce((sum, { size = Number.NaN }) => sum + size, 0);
  return Number.isNaN(bytes) ? undefined : bytes;
}

/** An opened input. */
export interface OpenInput {
  /** The decompressed content. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Bytes read from the disk, before decompression. */
  bytesRead(): number;
  /** Ends the iteration, even while a reader waits for the next chunk. */
  close(): void;
}

export function open(input: InputFile): OpenInput {
  const { name, path, size } = input;
  const source: Readable =
    path === STANDARD_INPUT ? process.stdin : size === undefined ? openPipe(path) : createReadStream(path);
  // The source may fail before it is read. The reader gets that error later.
  source.on('error', () => {});
  let bytes = 0;
  const count = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of source as AsyncIterable<Uint8Array>) {
        bytes += chunk.length;
        yield chunk;
      }
    } catch (error) {
      throw unreadable(name, error);
    }
    // This is checked after the last chunk but before the rows end, so that a half-written last line does not count as a row.
    if (size === undefined || bytes === size) return;
    throw unusable(`${name} changed during the import; start again with a file that no program writes to`);
  };
  return { chunks: unpack(input, count()), bytesRead: () => bytes, close: () => source.destroy() };
}

/** Opens a named pipe without blocking. Opened like a file, it would keep the process alive until a program writes to it. */
const openPipe = (path: string): Readable =>
  new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), writable: false });

/** @throws CliError before the first chunk if the input does not begin as its format does */
async function* unpack(input: InputFile, chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const first = await chunks.next();
  if (first.done) return;
  const all = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value;
    yield* chunks;
  };
  // Each character is one byte.
  const head = Buffer.from(first.value.subarray(0, LOOKED_AT)).toString('latin1');
  if (isGzip(head)) return yield* unpack(input, gunzip(all(), input.name));
  refuseOthers(head, input);
  yield* all();
}

async function* gunzip(chunks: AsyncGenerator<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const unpacked = createGunzip();
  // An error of one stream destroys both. The reader gets the error.
  pipeline(chunks, unpacked).catch(() => {});
  try {
    yield* unpacked;
  } catch (error) {
    throw error instanceof CliError ? error : unusable(`${name} is not valid gzip: ${reasonOf(error)}`);
  }
}
