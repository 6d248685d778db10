import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { Answer, Lifeline } from '../../base/process/lifeline.js';
import { makeFolder } from '../../base/process/make-folder.js';
import { type FileSystem, listed, removeAll, renamed } from './file-system.js';
import type { Source } from './journal-source.js';
import { DRAFT_PREFIX, GONE_PREFIX, isVisible, Neighbours, ownerOf, TIME_RADIX, takenName } from './neighbours.js';
import { makeDraft, refillReserves } from './owner-draft.js';
import { isAlive, isUnknown, openLifeline, removeNote, SOCKET, writeNote } from './owner-note.js';

/** The listener of an owner while it adopts. */
export interface Adopting {
  /** Gets each folder of another source that a dead owner has left, which stays. */
  onForeign(folder: string): void;
  /** A folder cannot be taken over now. It is tried again at the next look. */
  onError(folder: string, error: unknown): void;
}

/**
 * The folder in a journal that one client writes. Its socket shows others whether that client lives, however its process or its
 * worker thread ended. A client takes over the folder of a dead one by adding its own name to it, or its own in place of that of
 * another dead one: the folders of a journal lie side by side, and a file system gives each name to one client alone.
 */
export class OwnerFolder {
  readonly path: string;
  readonly #fs: FileSystem;
  readonly #owners: string;
  readonly #name: string;
  readonly #source: Source | undefined;
  readonly #answer: Answer | undefined;
  #lifeline: Lifeline | undefined;
  /** True when its note says that it has one. */
  #hasSocket = false;
  readonly #neighbours: Neighbours;

  private constructor(fs: FileSystem, owners: string, name: string, source: Source | undefined, answer?: Answer) {
    this.#fs = fs;
    this.#owners = owners;
    this.#name = name;
    this.#source = source;
    this.#answer = answer;
    this.path = join(owners, name);
    this.#neighbours = new Neighbours(fs, owners, name);
  }

  /**
   * @param source undefined for an owner that accepts no messages, and may adopt those of every source
   * @param answer answers a request that comes through its socket
   * @throws the system's error
   */
  static create(fs: FileSystem, journal: string, source: Source | undefined, answer?: Answer): OwnerFolder {
    const owners = ownersOf(journal);
    makeFolder(fs, owners);
    // Names sort by the time they were made.
    const name = `${Date.now().toString(TIME_RADIX).padStart(9, '0')}-${randomBytes(4).toString('hex')}`;
    const draft = join(owners, `${DRAFT_PREFIX}${name}`);
    makeDraft(fs, journal, draft);
    const folder = new OwnerFolder(fs, owners, name, source, answer);
    folder.#enter(draft);
    refillReserves(fs, journal, draft);
    return folder;
  }

  /** @throws the system's error */
  #enter(draft: string): void {
    try {
      this.#lifeline = openLifeline(this.#fs, draft, this.#answer);
      this.#hasSocket = this.#lifeline !== undefined;
      writeNote(this.#fs, draft, this.#hasSocket);
      this.#source?.mark(this.#fs, draft);
      // The folder gets its name last: no other client sees it without its socket.
      this.#fs.renameSync(draft, this.path);
    } catch (error) {
      void this.#lifeline?.close();
      removeAll(this.#fs, draft);
      throw error;
    }
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
   * Takes over the folders that dead owners have left for its source; returns them as they are named now, oldest first.
   *
   * @param mayRead whether this version can read a folder. One that it cannot read stays as it is
   */
  async adopt(
    mayRead: (folder: string) => Promise<boolean>,
    { onForeign = () => {}, onError = () => {} }: Partial<Adopting> = {},
  ): Promise<string[]> {
    const taken: string[] = [];
    for await (const name of this.#neighbours.dead()) {
      const from = join(this.#owners, name);
      const to = join(this.#owners, takenName(name, this.#name));
      try {
        if (this.#source !== undefined && !this.#source.owns(this.#fs, from)) onForeign(from);
        else if ((await mayRead(from)) && renamed(this.#fs, from, to)) {
          taken.push(to);
          this.#source?.claim(this.#fs, to);
        }
      } catch (error) {
        onError(from, error);
      }
    }
    return taken.sort();
  }

  /** Lets others take over the messages that are left, or removes a folder without any. */
  async release(hasRest: boolean): Promise<void> {
    try {
      if (hasRest) removeNote(this.#fs, this.path);
      else removeFolder(this.#fs, this.path);
    } catch {
      // The next client finds that nothing is left in it, and removes it.
    }
    await this.#lifeline?.close();
  }
}

/** A folder of a journal, that of its owner, and whether the owner lives. */
export interface FoundFolder {
  readonly path: string;
  readonly owner: string;
  readonly isAlive: boolean;
}

/** Lists the folders of a journal, oldest first. */
export async function foldersIn(fs: FileSystem, journal: string): Promise<FoundFolder[]> {
  const owners = ownersOf(journal);
  const found: FoundFolder[] = [];
  for (const name of listed(fs, owners).filter(isVisible)) {
    const owner = join(owners, ownerOf(name));
    found.push({ path: join(owners, name), owner, isAlive: await isAlive(fs, owner) });
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
  const names = listed(fs, ownersOf(journal)).filter((name) => ownerOf(name) === name);
  return names.map((name) => join(ownersOf(journal), name)).filter((folder) => isUnknown(fs, folder));
}

/** Takes their folders from them. @throws the system's error */
export function disownUnknown(fs: FileSystem, journal: string): void {
  for (const folder of unknownIn(fs, journal)) removeNote(fs, folder);
}

export const ownersOf = (journal: string): string => join(journal, 'owners');

/**
 * Removes a folder whose messages have all ended. It loses its name first, so that no other client finds it half removed and sends
 * what is still there.
 *
 * @throws Error when it cannot be renamed
 */
export function removeFolder(fs: FileSystem, folder: string): void {
  const gone = join(dirname(folder), `${GONE_PREFIX}${basename(folder)}`);
  if (!renamed(fs, folder, gone) && fs.existsSync(folder)) throw new Error(`${folder} cannot be renamed`);
  removeAll(fs, gone);
}
