import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Answer, Lifeline } from '../../base/process/lifeline.js';
import { isDead, type ProcessIdentity, thisProcess } from '../../base/process/this-process.js';
import { bytesIn, type FileSystem, systemCodeOf, writeOver } from './file-system.js';

/** A folder of a client has these two: a socket that shows that the client lives, and a note of its source and its process. */
export const SOCKET = 'socket';
export const NOTE = 'source';

/** The note is always this long, so that to write another over it needs no room on the disk. */
const NOTE_BYTES = 1_024;

/** A client that lives makes its socket anew when something has removed it: so long others leave it time, in ms. */
const SOCKET_GRACE_MS = 10_000;

const SALT_BYTES = 16;
const SOURCE = /^([0-9a-f]{32}) ([0-9a-f]{64}) ([0-9a-f]+)$/;

/** The writer of a folder: a process, or one of its worker threads. */
export interface Owner extends ProcessIdentity {
  readonly hasSocket: boolean;
}

/** Two lines: a salted digest of the write key, never the key; and who writes the folder, as long as somebody does. */
interface Note {
  readonly source: string;
  readonly owner: Owner | undefined;
}

/** The source that a client's messages go to. */
export class Source {
  readonly #writeKeys: readonly string[];
  readonly #isAny: boolean;

  /** @param adopt keys of other sources whose messages go to this one too */
  constructor(writeKey: string, adopt: readonly string[] | 'all') {
    this.#isAny = adopt === 'all';
    this.#writeKeys = adopt === 'all' ? [writeKey] : [writeKey, ...adopt];
  }

  /** A line that says of a folder that its messages go to this source: the one that it has, if that does. */
  lineFor(source: string): string {
    const [own = ''] = this.#writeKeys;
    if (isOf(source, own)) return source;
    const salt = randomBytes(SALT_BYTES).toString('hex');
    const digest = digestOf(salt, own);
    return `${salt} ${digest} ${crc32(salt + digest).toString(16)}`;
  }

  /**
   * Tells whether the messages of a folder go to this source. They do so too where a loss of power or damage has left no word of whose
   * they are, because they would wait for ever.
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

/** The note of a folder; an empty one where there is none, or one that a loss of power has damaged. @throws the system's error */
export function noteIn(fs: FileSystem, folder: string): Note {
  const [source = '', owner = ''] = bytesIn(fs, join(folder, NOTE)).toString().split('\n');
  try {
    return { source, owner: owner.trim() === '' ? undefined : (JSON.parse(owner) as Owner) };
  } catch {
    return { source, owner: undefined };
  }
}

/** @throws the system's error */
function writeNote(fs: FileSystem, folder: string, { source, owner }: Note): void {
  const text = `${source}\n${owner === undefined ? '' : JSON.stringify(owner)}\n`;
  writeOver(fs, join(folder, NOTE), Buffer.from(text.padEnd(NOTE_BYTES)));
}

/** Notes in a folder that this process writes it. @param source undefined to leave it what it is @throws the system's error */
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

/** A folder that belongs to nobody needs no grace when its socket goes. @throws the system's error */
export const disown = (fs: FileSystem, folder: string): void =>
  writeNote(fs, folder, { source: noteIn(fs, folder).source, owner: undefined });

/**
 * Makes the socket by which others see that its client lives; undefined where there can be none.
 *
 * @throws the system's error
 */
export function openLifeline(fs: FileSystem, folder: string, answer?: Answer): Lifeline | undefined {
  const lifeline = Lifeline.open(folder, SOCKET, { answer, fs });
  try {
    if (lifeline !== undefined) fs.chmodSync(join(folder, SOCKET), 0o600);
    return lifeline;
  } catch (error) {
    void lifeline?.close();
    throw error;
  }
}

/** `hidden`: this user may not ask. */
export type State = 'living' | 'ended' | 'hidden';

/** Only what proves that an owner has ended counts: one that cannot be asked now is asked again. */
export async function stateOf(fs: FileSystem, folder: string): Promise<State> {
  const socket = join(folder, SOCKET);
  try {
    if (await Lifeline.isAlive(folder, SOCKET, fs)) return mayAsk(fs, folder) ? 'living' : 'hidden';
    const { owner } = noteIn(fs, folder);
    // A process on another machine may live: only an operator can tell that it is gone.
    if (owner?.hasSocket === false) return isDead(owner) ? 'ended' : 'living';
    if (owner === undefined || isDead(owner) || fs.existsSync(socket)) return 'ended';
    return Date.now() - fs.statSync(folder).mtimeMs < SOCKET_GRACE_MS ? 'living' : 'ended';
  } catch (error) {
    if (systemCodeOf(error) === 'EACCES') return 'hidden';
    return systemCodeOf(error) === 'ENOENT' ? 'ended' : 'living';
  }
}

/** A socket that this user may not write looks as one whose owner lives. */
function mayAsk(fs: FileSystem, folder: string): boolean {
  try {
    fs.accessSync(join(folder, SOCKET), fs.constants.W_OK);
    return true;
  } catch (error) {
    return systemCodeOf(error) !== 'EACCES';
  }
}

/** Tells whether no process here can check if the owner of the folder lives: a copy may lack the socket. @throws the system's error */
export function isUnknown(fs: FileSystem, folder: string): boolean {
  const { owner } = noteIn(fs, folder);
  if (owner === undefined || owner.place === thisProcess.place) return false;
  return !owner.hasSocket || !fs.existsSync(join(folder, SOCKET));
}
