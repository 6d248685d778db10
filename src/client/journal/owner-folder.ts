import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Answer, Lifeline } from '../../base/process/lifeline.js';
import { makeFolder } from '../../base/process/make-folder.js';
import { batchFilesIn } from './batch-file.js';
import { type FileSystem, isUnlinked, listed, renamed, systemCodeOf } from './file-system.js';
import {
  claim,
  disown,
  isUnknown,
  markSource,
  NOTE,
  openLifeline,
  SOCKET,
  type Source,
  type State,
  stateOf,
} from './owner-note.js';
import { isFull } from './system-errors.js';

/** A folder gets its name when it has all that shows that its client lives. Until then others leave it a while, in ms. */
const DRAFT_PREFIX = '.new-';
const DRAFT_MS = 10_000;

/** Stands in the name of a folder between the client that has written it and the one that has taken it over. */
const TAKEN = '@';
const NAME = /^(\.new-)?[\w-]+(@[\w-]+)?$/;

/** Once in so many looks a client asks one more than its neighbour. */
const LOOKS_PER_TURN = 8;

export const ownersOf = (journal: string): string => join(journal, 'owners');

/** The client that sends the messages of a folder, by the folder's name: the one that has taken it over last, or else its writer. */
const ownerOf = (folder: string): string => folder.slice(folder.indexOf(TAKEN) + 1);

const isDraft = (name: string): boolean => name.startsWith(DRAFT_PREFIX);

/** The name of a folder once a client has taken it over. */
const takenName = (folder: string, owner: string): string =>
  `${folder.replace(DRAFT_PREFIX, '').split(TAKEN, 1)[0]}${TAKEN}${owner}`;

/** The folders of the clients of a journal, by their names, oldest first. What somebody else has put there is left alone. */
const namesIn = (fs: FileSystem, owners: string): string[] =>
  listed(fs, owners).filter((name) => NAME.test(name) && isFolder(fs, join(owners, name)));

function isFolder(fs: FileSystem, path: string): boolean {
  try {
    return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // One that cannot be looked at now is told when it is read.
    return true;
  }
}

/** The listener of an owner while it takes over. */
export interface TakingOver {
  /** Says whether a folder is for its source. One that is not stays as it is. */
  mayTake(folder: string): boolean;
  /** A folder cannot be taken over now. It is tried again at the next look. */
  onError(folder: string, error: unknown): void;
}

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
  #looks = 0;
  /** Owners that have ended, and whose folders may stay, as those of another source do. */
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
    return join(ownersOf(this.#journal), DRAFT_PREFIX + this.#name);
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
   * Takes over the folders that ended owners have left; returns them as they are named now, oldest first. An owner without a folder of
   * its own takes the place of the first, and returns its own.
   *
   * @throws the system's error
   */
  async takeOver({ mayTake = () => true, onError = () => {} }: Partial<TakingOver> = {}): Promise<string[]> {
    const taken: string[] = [];
    for (const name of await this.#endedNames()) {
      const from = join(ownersOf(this.#journal), name);
      try {
        if (!mayTake(from)) continue;
        const to = this.isOpen ? this.#take(name, from) : this.#takePlace(from);
        if (to === undefined) continue;
        taken.push(to);
      } catch (error) {
        // Another client may have taken it over, or removed it as nothing was left.
        if (systemCodeOf(error) !== 'ENOENT') onError(from, error);
      }
    }
    return taken.sort();
  }

  #take(name: string, from: string): string | undefined {
    const to = join(ownersOf(this.#journal), takenName(name, this.#name));
    if (!renamed(this.#fs, from, to)) return undefined;
    if (this.#source !== undefined) markSource(this.#fs, to, this.#source);
    return to;
  }

  /** @throws the system's error, and leaves the folder for the next */
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

  /**
   * The folders of ended owners that are seen in a look. The first look asks all. A later one asks those before this one, up to one that
   * lives: each that ends is asked by its neighbour, and a look costs the same however many live. That neighbour may be stopped, or have
   * another source: some looks ask one more, in turn.
   */
  async #endedNames(): Promise<string[]> {
    const all = namesIn(this.#fs, ownersOf(this.#journal));
    const owners = [...new Set(all.map(ownerOf))].filter((owner) => owner !== this.#name).sort();
    const next = owners.filter((owner) => owner < this.#name).length;
    const inOrder = [...owners.slice(0, next).reverse(), ...owners.slice(next).reverse()];
    const isFirst = this.#looks++ === 0 || !this.isOpen;
    const turn = this.#looks / LOOKS_PER_TURN;
    const inTurn = Number.isInteger(turn) ? inOrder[turn % inOrder.length] : undefined;
    const ended = new Set<string>();
    let isNext = true;
    for (const owner of inOrder) {
      if (!isFirst && !isNext && owner !== inTurn) continue;
      if (await this.#hasEnded(owner)) ended.add(owner);
      else isNext = false;
    }
    return all.filter((name) => ended.has(ownerOf(name)));
  }

  /** An owner that has ended stays so, and is not asked again. */
  async #hasEnded(owner: string): Promise<boolean> {
    if (this.#ended.has(owner)) return true;
    const folder = join(ownersOf(this.#journal), owner);
    if ((await stateOf(this.#fs, folder)) !== 'ended' || (isDraft(owner) && isYoung(this.#fs, folder))) return false;
    this.#ended.add(owner);
    return true;
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

/** The client that makes a draft is about to name it. */
function isYoung(fs: FileSystem, folder: string): boolean {
  return Date.now() - (fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0) < DRAFT_MS;
}

/** A folder of a journal, that of its owner, and whether the owner lives. */
export interface FoundFolder {
  readonly path: string;
  readonly owner: string;
  readonly state: State;
}

/** Lists the folders of a journal, oldest first. */
export async function foldersIn(fs: FileSystem, journal: string): Promise<FoundFolder[]> {
  const owners = ownersOf(journal);
  const found: FoundFolder[] = [];
  for (const name of namesIn(fs, owners)) {
    const owner = join(owners, ownerOf(name));
    found.push({ path: join(owners, name), owner, state: await stateOf(fs, owner) });
  }
  return found;
}

/**
 * The folders of owners that cannot be checked, because they belong to another machine or container and have no socket. Only an
 * operator can know that these have ended.
 *
 * @throws the system's error
 */
export function unknownIn(fs: FileSystem, journal: string): string[] {
  const names = namesIn(fs, ownersOf(journal)).filter((name) => ownerOf(name) === name);
  return names.map((name) => join(ownersOf(journal), name)).filter((folder) => isUnknown(fs, folder));
}

/** Takes their folders from them. @throws the system's error */
export function disownUnknown(fs: FileSystem, journal: string): void {
  for (const folder of unknownIn(fs, journal)) disown(fs, folder);
}

/** Removes the folder of a client that has left no message. What somebody else has put there stays, and the folder with it. */
export function removeFolder(fs: FileSystem, folder: string): void {
  try {
    for (const name of [NOTE, SOCKET]) fs.rmSync(join(folder, name), { force: true });
    fs.rmdirSync(folder);
  } catch {
    // The next client finds that nothing is left in it, and tries again.
  }
}
