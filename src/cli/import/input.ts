import { createReadStream, type Stats } from 'node:fs';
import { open as openFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CliError, reasonOf, unusable } from '../cli-error.js';
import { STANDARD_INPUT, unreadable } from '../file.js';

/** A file to import. */
export interface Input {
  /** The name as it was given. */
  readonly name: string;
  /** The absolute path, or `-` for standard input. */
  readonly path: string;
  readonly format: 'ndjson' | 'csv';
  /** The delimiter of CSV, by the file's name. */
  readonly delimiter: string;
  /** Bytes on the disk; undefined for standard input. */
  readonly size: number | undefined;
  readonly isGzip: boolean;
  /** The time of the file's last change, in ms since 1970; undefined for standard input. */
  readonly modifiedMs?: number | undefined;
}

/** @throws CliError when there is no such file */
export async function inputOf(name: string, format: Input['format'] | undefined): Promise<Input> {
  const plain = basename(name).replace(/\.gz$/i, '');
  const byName = /\.(csv|tsv)$/i.test(plain) ? 'csv' : 'ndjson';
  const known = { name, format: format ?? byName, delimiter: /\.tsv$/i.test(plain) ? '\t' : ',' };
  if (name === STANDARD_INPUT) return { ...known, path: name, size: undefined, isGzip: false };
  return { ...known, path: resolve(name), ...(await look(name)) };
}

async function look(name: string): Promise<Pick<Input, 'size' | 'isGzip' | 'modifiedMs'>> {
  try {
    await using file = await openFile(name);
    const { size, mtimeMs: modifiedMs } = await file.stat();
    const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return { size, modifiedMs, isGzip: bytesRead === 2 && isGzip(buffer) };
  } catch (error) {
    throw unreadable(name, error);
  }
}

// RFC 1952, 2.3.1: the first two bytes of any gzip file, whatever its name.
const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** An opened input, decompressed. */
export interface OpenInput {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Bytes read from the disk, before decompression. */
  bytesRead(): number;
  /** Ends the chunks, even while a reader waits for the next one. */
  close(): void;
}

/** Opens the input at the byte `start`. Only an uncompressed file can be opened there. */
export function open(input: Input, start: number, stdin: Readable): OpenInput {
  const isFile = input.path !== STANDARD_INPUT;
  const source = isFile ? createReadStream(input.path, { start }) : stdin;
  let bytes = start;
  const count = async function* (): AsyncGenerator<Uint8Array> {
    const before = isFile ? await stat(input.path) : undefined;
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      yield chunk;
    }
    // This is checked after the last chunk but before the rows end, so that a half-written last line does not count as a row.
    if (before !== undefined && (await hasChanged(input.path, before))) {
      throw unusable(`${input.name} changed during the import; start again with a file that no program writes to`);
    }
  };
  return { chunks: unpack(input, count()), bytesRead: () => bytes, close: () => source.destroy() };
}

/** A file that was replaced by another does not count as changed, because we read the old one. */
async function hasChanged(path: string, before: Stats): Promise<boolean> {
  const now = await stat(path).catch(() => undefined);
  return now !== undefined && now.ino === before.ino && (now.size !== before.size || now.mtimeMs !== before.mtimeMs);
}

function unpack({ path, isGzip }: Input, chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (path === STANDARD_INPUT) return gunzipIfGzip(chunks);
  return isGzip ? gunzip(chunks) : chunks;
}

async function* gunzipIfGzip(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const first = await chunks.next();
  if (first.done) return;
  const whole = chain(first.value, chunks);
  yield* isGzip(first.value) ? gunzip(whole) : whole;
}

async function* chain(first: Uint8Array, others: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* others;
}

async function* gunzip(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(chunks, { objectMode: false });
  const unpacked = createGunzip();
  source.on('error', (error) => unpacked.destroy(error));
  try {
    for await (const chunk of source.pipe(unpacked)) yield chunk as Uint8Array;
  } catch (error) {
    throw error instanceof CliError ? error : unusable(`no valid gzip: ${reasonOf(error)}`);
  } finally {
    source.destroy();
    unpacked.destroy();
  }
}
