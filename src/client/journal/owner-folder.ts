import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Answer, Lifeline } from '../../base/process/lifeline.js';
import { makeFolder } from '../../base/process/make-folder.js';
import { batchFilesIn } from './batch-file.js';
import { draftPath, isNewDraft, namesIn, ownerOf, ownersOf, removeFolder, takenPath } from './client-folders.js';
import { type FileSystem, isUnlinked, renamed } from './file-system.js';
import { claim, disown, openLifeline, SOCKET, type Source, stateOf } from './owner-note.js';
import { isFull } from './system-errors.js';

/** So many of the others a look asks whether they live, after the first. */
const MOST_ASKED = 8;

/**
 * The folder in a journal that one client writes. Its socket shows others whether that client lives, however its process or its
 * worker thread ended. A client takes over the folder of an ended one by adding its own name to it, or its own in place of that of
 * another ended one: the folders of a journal lie side by side, and a file system gives each name to one client alone. On a full disk
 * a client makes no folder: it takes the place of an ended one, which needs no room.
 */
export class OwnerFolder {
  /** The number of its first file: those of clients that have written to the folder before have lower ones. */
  firstNumber = 1;
  readonly path: string;
  readonly #fs: FileSystem;
  readonly #journal: string;
  readonly #name: string;
  readonly #source: Source | undefined;
  readonly #answer: Answer | undefined;
  #lifeline: Lifeline | undefined;
  /** True when its note says that it has one. */
  #hasSocket = false;
  /** The folder itself, by which it is known after it was moved. */
  #handle: number | undefined;
  #root = '';
  #asked = 0;
  /** Owners that have ended stay so, and are not asked again. Folders of another source stay too. */
  readonly #ended = new Set<string>();

  /**
   * @param source undefined for an owner that accepts no messages, and may take over those of every source
   * @param answer answers a request that comes through its socket
   */
  constructor(fs: FileSystem, journal: string, source: Source | undefined, answer?: Answer) {
    this.#fs = fs;
    this.#journal = journal;
    this.#source = source;
    this.#answer = answer;
    // Names sort by the time they were made.
    this.#name = `${Date.now().toString(36).padStart(9, '0')}-${randomBytes(4).toString('hex')}`;
    this.path = join(ownersOf(journal), this.#name);
  }

  /** The lowest folder that was there before: the client has made those from there down. */
  get root(): string {
    return this.#root;
  }

  get isOpen(): boolean {
    return this.#root !== '';
  }

  /** True once it was removed, and not only moved. */
  get isRemoved(): boolean {
    return this.#handle !== undefined && isUnlinked(this.#fs, this.#handle);
  }

  /** Makes the folder. @throws the system's error, and leaves nothing behind */
  open(): void {
    const root = makeFolder(this.#fs, ownersOf(this.#journal));
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

  /** Makes the folder, but on a full disk: there an owner takes the place of an ended one. @throws the system's error */
  openIfRoom(): void {
    try {
      this.open();
    } catch (error) {
      if (!isFull(error)) throw error;
    }
  }

  get #draft(): string {
    return draftPath(this.#journal, this.#name);
  }

  /** @throws the system's error */
  #enter(draft: string): void {
    try {
      this.#fs.rmSync(join(draft, SOCKET), { force: true });
      this.#lifeline = openLifeline(this.#fs, draft, this.#answer);
      this.#hasSocket = this.#lifeline !== undefined;
      claim(this.#fs, draft, this.#source, this.#hasSocket);
      this.#handle = process.platform === 'win32' ? undefined : this.#fs.openSync(draft, 'r');
      this.#fs.renameSync(draft, this.path);
    } catch (error) {
      void this.#leave();
      throw error;
    }
  }

  async #leave(): Promise<void> {
    if (this.#handle !== undefined) this.#fs.closeSync(this.#handle);
    this.#handle = undefined;
    const lifeline = this.#lifeline;
    this.#lifeline = undefined;
    await lifeline?.close();
  }

  /** Says whether others can see that its client lives. It makes a socket anew that something has removed. */
  keep(): boolean {
    const socket = join(this.path, SOCKET);
    if (this.#lifeline !== undefined && this.#fs.existsSync(socket)) return true;
    const isThere = this.#fs.existsSync(this.path);
    if (!isThere || !this.#hasSocket) return isThere;
    // To close it removes the socket at its path: first the old one, then the new one.
    void this.#lifeline?.close();
    this.#lifeline = undefined;
    try {
      this.#fs.rmSync(socket, { force: true });
      this.#lifeline = openLifeline(this.#fs, this.path, this.#answer);
    } catch {
      // The next look tries again.
    }
    return this.#lifeline !== undefined;
  }

  /**
   * The folders of owners that have ended, oldest first. The first look asks all owners whether they live. A later one asks some of them,
   * in turn: a look costs the same however many there are.
   *
   * @throws the system's error
   */
  async ended(): Promise<string[]> {
    const all = namesIn(this.#fs, ownersOf(this.#journal));
    const owners = [...new Set(all.map(ownerOf))].filter((owner) => owner !== this.#name).sort();
    const others = owners.filter((owner) => !this.#ended.has(owner));
    // Each owner begins with those behind it, so that owners that look at the same time ask different ones.
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
   * Takes over the folder of an owner that has ended; returns its path from now on, or undefined when another was faster. An owner
   * without a folder of its own takes the place of the ended one.
   *
   * @throws the system's error, and leaves the folder for the next
   */
  take(folder: string): string | undefined {
    if (!this.isOpen) return this.#takePlace(folder);
    const taken = takenPath(folder, this.#name);
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

  /** Lets others take over the messages that are left, or removes a folder without any. */
  async release(): Promise<void> {
    if (!this.isOpen) return;
    try {
      if (batchFilesIn(this.#fs, this.path).length > 0) disown(this.#fs, this.path);
      else removeFolder(this.#fs, this.path);
    } catch {
      // The next client finds that nothing is left in it, and removes it.
    }
    await this.#leave();
  }
}
