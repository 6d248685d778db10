import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type AnswerLine, Lifeline } from '../../base/process/lifeline.js';
import { isDead, type ProcessIdentity, thisProcess } from '../../base/process/this-process.js';
import { bytesIn, type FileSystem, isLink, writeFile } from './file-system.js';
import { JournalProblem, systemCodeOf } from './system-errors.js';

/** The names of two files in a client's folder: a socket that shows that the client lives, and a note of its source and owner. */
export const SOCKET = 'socket';
export const NOTE = 'source';

/** The length of every note in bytes, so that overwriting one needs no room on the disk. */
const NOTE_BYTES = 1_024;

/** If a socket was removed, others wait this long for its client to make a new one, in ms. */
const SOCKET_GRACE_MS = 10_000;

const SALT_BYTES = 16;
const SOURCE = /^([0-9a-f]{32}) ([0-9a-f]{64}) ([0-9a-f]+)$/;

/** The writer of a folder: a process, or one of its worker threads. */
export interface Owner extends ProcessIdentity {
  readonly hasSocket: boolean;
}

/** The two lines of a note: a salted digest of the write key, never the key itself, and the owner while the folder has one. */
interface Note {
  readonly source: string;
  readonly owner: Owner | undefined;
}

/** The source to which a client's messages go. */
export class Source {
  readonly #writeKeys: readonly string[];
  readonly #isAny: boolean;

  /** @param adopt keys of other sources whose messages also go to this one */
  constructor(writeKey: string, adopt: readonly string[] | 'all') {
    this.#isAny = adopt === 'all';
    this.#writeKeys = adopt === 'all' ? [writeKey] : [writeKey, ...adopt];
  }

  /** Returns the note's line for this source. It is the given line if that already names this source. */
  lineFor(source: string): string {
    const [own = ''] = this.#writeKeys;
    if (isOf(source, own)) return source;
    const salt = randomBytes(SALT_BYTES).toString('hex');
    const digest = digestOf(salt, own);
    return `${salt} ${digest} ${crc32(salt + digest).toString(16)}`;
  }

  /**
   * Tells whether the messages of a folder go to this source. They also do if a loss of power or damage has destroyed the note of
   * the folder, because they would otherwise wait for ever.
   *
   * @throws the system's error
   */
  owns(fs: FileSystem, folder: string): boolean {
    const { source } = noteIn(fs, folder);
    return this.#isAny || !isSource(source) || this.#writeKeys.some((key) => isOf(source, key));
  }
}

function isSource(line: string): boolean {
  const [, salt = '', digest = '', sum] = SOURCE.exec(line) ?? [];
  return sum === crc32(salt + digest).toString(16);
}

function isOf(line: string, writeKey: string): boolean {
  const [salt = '', digest] = line.split(' ');
  return isSource(line) && digestOf(salt, writeKey) === digest;
}

const digestOf = (salt: string, writeKey: string): string => createHmac('sha256', salt).update(writeKey).digest('hex');

/** Reads the note of a folder. A missing or damaged note, or a link, counts as empty. @throws the system's error */
export function noteIn(fs: FileSystem, folder: string): Note {
  let [source, owner] = ['', ''];
  try {
    [source = '', owner = ''] = bytesIn(fs, join(folder, NOTE)).toString().split('\n');
    return { source, owner: owner.trim() === '' ? undefined : (JSON.parse(owner) as Owner) };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof JournalProblem)) throw error;
    return { source, owner: undefined };
  }
}

/** @throws the system's error */
function writeNote(fs: FileSystem, folder: string, { source, owner }: Note): void {
  const text = `${source}\n${owner === undefined ? '' : JSON.stringify(owner)}\n`;
  writeFile(fs, join(folder, NOTE), Buffer.from(text.padEnd(NOTE_BYTES)), true);
}

/** Notes that this process owns a folder. @param source undefined to keep the noted source @throws the system's error */
export function claim(fs: FileSystem, folder: string, source: Source | undefined, hasSocket: boolean): void {
  const known = noteIn(fs, folder).source;
  writeNote(fs, folder, { source: source?.lineFor(known) ?? known, owner: { ...thisProcess, hasSocket } });
}

/** Notes in a folder that its messages go to this source. @throws the system's error */
export function markSource(fs: FileSystem, folder: string, source: Source): void {
  const note = noteIn(fs, folder);
  const line = source.lineFor(note.source);
  if (line !== note.source) writeNote(fs, folder, { ...note, source: line });
}

/** Removes the owner from a folder's note, so that others need not wait for a new socket. @throws the system's error */
export const disown = (fs: FileSystem, folder: string): void =>
  writeNote(fs, folder, { source: noteIn(fs, folder).source, owner: undefined });

/**
 * Makes the socket that shows others that the client lives. Returns undefined if the file system has no sockets.
 *
 * @throws the system's error
 */
export function openLifeline(fs: FileSystem, folder: string, answer?: AnswerLine): Lifeline | undefined {
  const lifeline = Lifeline.open(folder, SOCKET, { answer, fs });
  try {
    if (lifeline !== undefined) fs.chmodSync(join(folder, SOCKET), 0o600);
    return lifeline;
  } catch (error) {
    void lifeline?.close();
    throw error;
  }
}

/** The state of a client. `hidden` means that this user has no permission to find out. */
export type OwnerState = 'living' | 'ended' | 'hidden';

/** Finds out whether the owner of a folder lives. Without proof of its end it counts as living, and is asked again later. */
export async function stateOf(fs: FileSystem, folder: string): Promise<OwnerState> {
  const socket = join(folder, SOCKET);
  try {
    if (!isLink(fs, socket) && (await Lifeline.isAlive(folder, SOCKET, fs)))
      return mayAsk(fs, folder) ? 'living' : 'hidden';
    const { owner } = noteIn(fs, folder);
    // A process on another machine may live. Only an operator can know that it has ended.
    if (owner?.hasSocket === false) return isDead(owner) ? 'ended' : 'living';
    if (owner === undefined || isDead(owner) || fs.existsSync(socket)) return 'ended';
    return Date.now() - fs.statSync(folder).mtimeMs < SOCKET_GRACE_MS ? 'living' : 'ended';
  } catch (error) {
    if (systemCodeOf(error) === 'EACCES') return 'hidden';
    return systemCodeOf(error) === 'ENOENT' ? 'ended' : 'living';
  }
}

/** Tells whether this user may use the socket. Without permission, the owner of any socket seems to live. */
function mayAsk(fs: FileSystem, folder: string): boolean {
  try {
    fs.accessSync(join(folder, SOCKET), fs.constants.W_OK);
    return true;
  } catch (error) {
    return systemCodeOf(error) !== 'EACCES';
  }
}

/**
 * Returns true if the owner of a folder is on another machine and has no socket, so that this machine cannot check whether it
 * lives.
 *
 * @throws the system's error
 */
export function isUnknown(fs: FileSystem, folder: string): boolean {
  const { owner } = noteIn(fs, folder);
  if (owner === undefined || owner.place === thisProcess.place) return false;
  return !owner.hasSocket || !fs.existsSync(join(folder, SOCKET));
}
