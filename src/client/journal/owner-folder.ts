import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { AnswerLine, Lifeline } from '../../base/process/lifeline.js';
import { batchFilesIn } from './batch-file.js';
import { draftPath, isNewDraft, namesIn, ownerOf, ownersOf, removeFolder, takenPath } from './client-folders.js';
import { type FileSystem, isUnlinked, makePlainFolder, removeFile, renamed } from './file-system.js';
import { claim, disown, openLifeline, SOCKET, type Source, stateOf } from './owner-note.js';
import { ifRoom, isFull } from './system-errors.js';

/** The number of other owners that a look asks whether they live. The first look asks all of them. */
const MOST_ASKED = 8;

/** In the name of a folder that another client has taken over: the random digits of the client that wrote it. */
const WRITER_DIGITS = /-[0-9a-f]{8}@(?=[^@]*$)/;

/**
 * The folder that one client writes in a journal. Its socket shows others whether that client lives, however its process or its
 * worker thread ended. To take over the folder of an ended client, a client renames it so that it ends with its own name. Only
 * one client can succeed in that. On a full disk a client makes no folder: it renames the folder of an ended client to its own,
 * which needs no room.
 */
export class OwnerFolder {
  /** The number of this client's first file. Files of clients that wrote to the folder before have lower numbers. */
  firstNumber = 1;
  readonly path: string;
  readonly #fs: FileSystem;
  readonly #journal: string;
  readonly #name: string;
  readonly #source: Source | undefined;
  readonly #answer: AnswerLine | undefined;
  #lifeline: Lifeline | undefined;
  /** True if the folder's note says that it has a socket. */
  #hasSocket = false;
  /** An open handle of the folder, which still finds it after it was moved. */
  #handle: number | undefined;
  #root = '';
  #asked = 0;
  /** Owners that have ended. They are not asked again, although their folders stay if they belong to another source. */
  readonly #ended = new Set<string>();

  /**
   * @param source undefined for an owner that accepts no messages and may take over those of every source
   * @param answer answers a request that comes through the socket
   */
  constructor(fs: FileSystem, journal: string, source: Source | undefined, answer?: AnswerLine) {
    this.#fs = fs;
    this.#journal = journal;
    this.#source = source;
    this.#answer = answer;
    // Names sort by the time they were made.
    this.#name = `${Date.now().toString(36).padStart(9, '0')}-${randomBytes(4).toString('hex')}`;
    this.path = join(ownersOf(journal), this.#name);
  }

  /** The deepest folder that existed before. The client made the folders below it. */
  get root(): string {
    return this.#root;
  }

  get isOpen(): boolean {
    return this.#root !== '';
  }

  /** True once the folder was removed, and not only moved. */
  get isRemoved(): boolean {
    return this.#handle !== undefined && isUnlinked(this.#fs, this.#handle);
  }

  /** Makes the folder. @throws the system's error, and leaves nothing behind */
  open(): void {
    const root = makePlainFolder(this.#fs, ownersOf(this.#journal));
    const draft = this.#draft;
    try {
      this.#fs.mkdirSync(draft, { mode: 0o700 });
      this.#enter(draft);
    } catch (error) {
      removeFolder(this.#fs, draft);
      throw error;
    }
    this.#root = root;
  }

  /** Makes the folder, unless the disk is full: then the owner uses the folder of an ended one. @throws the system's error */
  openIfRoom(): void {
    ifRoom(() => this.open());
  }

  get #draft(): string {
    return draftPath(this.#journal, this.#name);
  }

  /** @throws the system's error */
  #enter(draft: string): void {
    try {
      removeFile(this.#fs, join(draft, SOCKET));
      this.#lifeline = openLifeline(this.#fs, draft, this.#answer);
      this.#hasSocket = this.#lifeline !== undefined;
      this.#claim(draft);
      this.#handle = process.platform === 'win32' ? undefined : this.#fs.openSync(draft, 'r');
      this.#fs.renameSync(draft, this.path);
    } catch (error) {
      void this.#leave();
      throw error;
    }
  }

  /** @throws the system's error */
  #claim(draft: string): void {
    try {
      claim(this.#fs, draft, this.#source, this.#hasSocket);
    } catch (error) {
      // An owner that accepts no messages needs only its socket to show that it lives, so it can do without the note.
      if (!isFull(error) || !this.#hasSocket || this.#source !== undefined) throw error;
    }
  }

  async #leave(): Promise<void> {
    if (this.#handle !== undefined) this.#fs.closeSync(this.#handle);
    this.#handle = undefined;
    const lifeline = this.#lifeline;
    this.#lifeline = undefined;
    await lifeline?.close();
  }

  /** Tells whether others can see that this client lives. If the socket was removed, it makes a new one. */
  keep(): boolean {
    const socket = join(this.path, SOCKET);
    if (this.#lifeline !== undefined && this.#fs.existsSync(socket)) return true;
    const isThere = this.#fs.existsSync(this.path);
    if (!isThere || !this.#hasSocket) return isThere;
    // Closing removes the socket at its path, so the old one must be closed before the new one is made.
    void this.#lifeline?.close();
    this.#lifeline = undefined;
    try {
      removeFile(this.#fs, socket);
      this.#lifeline = openLifeline(this.#fs, this.path, this.#answer);
    } catch {
      // The next look tries again.
    }
    return this.#lifeline !== undefined;
  }

  /**
   * Finds the folders of owners that have ended, oldest first. The first look asks all owners whether they live. Later looks ask
   * a few owners each, in turn, so that a look costs the same for any number of owners.
   *
   * @throws the system's error
   */
  async ended(): Promise<string[]> {
    const all = namesIn(this.#fs, ownersOf(this.#journal));
    const owners = [...new Set(all.map(ownerOf))].filter((owner) => owner !== this.#name).sort();
    const others = owners.filter((owner) => !this.#ended.has(owner));
    // Each owner begins with those that sort after it, so that owners that look at the same time ask different ones.
    const first = others.filter((owner) => owner < this.#name).length + this.#asked;
    const most = this.#asked === 0 || !this.isOpen ? others.length : MOST_ASKED;
    for (let index = first; index < first + Math.min(most, others.length); index++) {
      const owner = others[index % others.length] ?? '';
      if (await this.#hasEnded(owner)) this.#ended.add(owner);
    }
    this.#asked += MOST_ASKED;
    return all.filter((name) => this.#ended.has(ownerOf(name))).map((name) => join(ownersOf(this.#journal), name));
  }

  async #hasEnded(owner: string): Promise<boolean> {
    const folder = join(ownersOf(this.#journal), owner);
    return (await stateOf(this.#fs, folder)) === 'ended' && !isNewDraft(this.#fs, folder);
  }

  /**
   * Takes over the folder of an owner that has ended. Returns its new path, or undefined if another client was faster. An owner
   * without a folder makes the ended one's folder its own.
   *
   * @throws the system's error, and leaves the folder for another client
   */
  take(folder: string): string | undefined {
    if (!this.isOpen) return this.#takePlace(folder);
    const path = takenPath(folder, this.#name);
    // A client that was suspended while another one took its folder over may have left a second folder.
    const taken = this.#fs.existsSync(path) ? path.replace(WRITER_DIGITS, `-${randomBytes(4).toString('hex')}@`) : path;
    return renamed(this.#fs, folder, taken) ? taken : undefined;
  }

  #takePlace(from: string): string | undefined {
    const draft = this.#draft;
    if (!renamed(this.#fs, from, draft)) return undefined;
    try {
      this.firstNumber = (batchFilesIn(this.#fs, draft).at(-1)?.number ?? 0) + 1;
      this.#enter(draft);
    } catch (error) {
      renamed(this.#fs, draft, from);
      throw error;
    }
    this.#root = ownersOf(this.#journal);
    return this.path;
  }

  /** Lets others take over the remaining messages, or removes the folder if there are none. */
  async release(): Promise<void> {
    if (!this.isOpen) return;
    try {
      if (batchFilesIn(this.#fs, this.path).length > 0) disown(this.#fs, this.path);
      else removeFolder(this.#fs, this.path);
    } catch {
      // The next client takes the folder over or removes it.
    }
    await this.#leave();
  }
}
