import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { bytesIn, type FileSystem, writeOver } from './file-system.js';

export const SOURCE_NAME = 'source';
const SALT_BYTES = 16;
const NOTE = /^([0-9a-f]{32}) ([0-9a-f]{64}) ([0-9a-f]+)\n/;

/** The source that a client's messages go to. A folder knows it by a salted digest of the write key, never by the key. */
export class Source {
  readonly #writeKeys: readonly string[];
  readonly #isAny: boolean;

  /** @param adopt keys of other sources whose messages go to this one too */
  constructor(writeKey: string, adopt: readonly string[] | 'all') {
    this.#isAny = adopt === 'all';
    this.#writeKeys = adopt === 'all' ? [writeKey] : [writeKey, ...adopt];
  }

  /** Notes in a new folder that its messages go to this source. @throws the system's error */
  mark(fs: FileSystem, folder: string): void {
    const salt = randomBytes(SALT_BYTES).toString('hex');
    const digest = digestOf(salt, this.#writeKeys[0] ?? '');
    writeOver(fs, join(folder, SOURCE_NAME), `${salt} ${digest} ${sumOf(salt, digest)}\n`);
  }

  /** Notes the same in a folder that was taken over, unless it says so already. @throws the system's error */
  claim(fs: FileSystem, folder: string): void {
    const note = readNote(fs, folder);
    if (note === undefined || !isOf(note, this.#writeKeys[0])) this.mark(fs, folder);
  }

  /**
   * Tells whether the messages of a folder go to this source. They do so too where a loss of power or damage has left no word of whose
   * they are.
   *
   * @throws the system's error
   */
  owns(fs: FileSystem, folder: string): boolean {
    if (this.#isAny) return true;
    const note = readNote(fs, folder);
    return note === undefined || this.#writeKeys.some((key) => isOf(note, key));
  }
}

interface Note {
  readonly salt: string;
  readonly digest: string;
}

/** Undefined for one that is damaged, which must not look like that of another source: the messages would wait for ever. */
function readNote(fs: FileSystem, folder: string): Note | undefined {
  const [, salt = '', digest = '', sum] = NOTE.exec(bytesIn(fs, join(folder, SOURCE_NAME)).toString()) ?? [];
  return sum === sumOf(salt, digest) ? { salt, digest } : undefined;
}

const isOf = ({ salt, digest }: Note, writeKey = ''): boolean => digestOf(salt, writeKey) === digest;

const digestOf = (salt: string, writeKey: string): string => createHmac('sha256', salt).update(writeKey).digest('hex');

const sumOf = (salt: string, digest: string): string => crc32(salt + digest).toString(16);
