import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { Answer, Lifeline } from '../../base/process/lifeline.js';
import { type FileSystem, listed, makeFolder, removeAll, renamed } from './file-system.js';
import { DRAFT_PREFIX, GONE_PREFIX, isVisible, Neighbours, TIME_RADIX } from './neighbours.js';
import { ADOPTED, makeDraft, refillReserves } from './owner-draft.js';
import { isAlive, openLifeline, removeNote, SOCKET, writeNote } from './owner-note.js';
import type { Source } from './source.js';

/** What an owner hears and asks while it adopts. */
export interface Adopting {
  /** Whether a folder that was taken over is read already. */
  isKnown(folder: string): boolean;
  /** Gets the folder of each dead owner of another source, which stays. */
  onForeign(folder: string): void;
  /** A folder cannot be taken over now. It is tried again at the next look. */
  onError(folder: string, error: unknown): void;
}

/**
 * The folder in a journal that one client writes. Its socket shows others whether that client lives, however its process or its
 * worker thread ended. A client takes over the folder of a dead one by renaming it.
 */
export class OwnerFolder {
  readonly path: string;
  readonly #fs: FileSystem;
  readonly #owners: string;
  readonly #source: Source | undefined;
  readonly #answer: Answer | undefined;
  #lifeline: Lifeline | undefined;
  /** Whether its note says that it has one. */
  #hasSocket = false;
  /** Whether it has taken over folders that it has not yet reported. */
  #hasUnknown = false;
  readonly #neighbours: Neighbours;

  private constructor(fs: FileSystem, owners: string, name: string, source: Source | undefined, answer?: Answer) {
    this.#fs = fs;
    this.#owners = owners;
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

  /** Whether others can see that its client lives. Makes a socket anew that something has removed. */
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
   * Takes over the folders of dead owners of its source; returns the folders to read, oldest first.
   *
   * @param mayRead whether this version can read a folder. One that it cannot read stays where it is
   */
  async adopt(
    mayRead: (folder: string) => Promise<boolean>,
    { isKnown = () => false, onForeign = () => {}, onError = () => {} }: Partial<Adopting> = {},
  ): Promise<string[]> {
    for await (const name of this.#neighbours.dead()) {
      const from = join(this.#owners, name);
      try {
        if (!this.#owns(from)) {
          this.#neighbours.noteForeign(name);
          onForeign(from);
        } else if (await allOf(foldersIn(this.#fs, from), mayRead)) {
          this.#hasUnknown = renamed(this.#fs, from, this.#adoptedPath(name)) || this.#hasUnknown;
        }
      } catch (error) {
        onError(from, error);
      }
    }
    return this.#adopted(isKnown, onError);
  }

  /** Lists them anew until each is known: the system may have refused to read one that was renamed before. */
  #adopted(isKnown: Adopting['isKnown'], onError: Adopting['onError']): string[] {
    if (!this.#hasUnknown) return [];
    const names = adoptedIn(this.#fs, this.path);
    this.#hasUnknown = false;
    return names.flatMap((name) => {
      const folder = this.#adoptedPath(name);
      try {
        return isKnown(folder) ? [] : this.#spread(name, isKnown);
      } catch (error) {
        this.#hasUnknown = true;
        onError(folder, error);
        return [];
      }
    });
  }

  /** What an owner had adopted goes where its own messages go. One without a note of that leaves it to the notes inside. */
  #owns(folder: string): boolean {
    const inner = (): boolean => adoptedIn(this.#fs, folder).every((name) => this.#owns(join(folder, ADOPTED, name)));
    return this.#source === undefined || (this.#source.owns(this.#fs, folder) ?? inner());
  }

  /** Moves the folders inside an adopted one beside it: paths would grow with each owner that dies. Oldest first. */
  #spread(name: string, isKnown: Adopting['isKnown']): string[] {
    const folder = this.#adoptedPath(name);
    const moved = adoptedIn(this.#fs, folder).flatMap((each) => {
      const path = join(folder, ADOPTED, each);
      if (isKnown(path)) return [];
      const isMoved = renamed(this.#fs, path, this.#adoptedPath(each));
      return isMoved ? this.#spread(each, isKnown) : foldersIn(this.#fs, path);
    });
    return [...moved, folder];
  }

  #adoptedPath(name: string): string {
    return join(this.path, ADOPTED, name);
  }

  /** Puts a folder that was taken over where every client looks for such. */
  giveBack(adopted: string): void {
    renamed(this.#fs, adopted, join(this.#owners, basename(adopted)));
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

/** Every owner's folder of a journal, oldest first, and whether the owner lives. */
export async function ownersIn(fs: FileSystem, journal: string): Promise<{ path: string; isAlive: boolean }[]> {
  const found: { path: string; isAlive: boolean }[] = [];
  for (const name of listed(fs, ownersOf(journal)).filter(isVisible)) {
    const path = join(ownersOf(journal), name);
    found.push({ path, isAlive: await isAlive(fs, path) });
  }
  return found;
}

/** The folder of an owner, after those that it had taken over, whose messages came earlier. */
export function foldersIn(fs: FileSystem, owner: string): string[] {
  return [...adoptedIn(fs, owner).flatMap((name) => foldersIn(fs, join(owner, ADOPTED, name))), owner];
}

const adoptedIn = (fs: FileSystem, owner: string): string[] => listed(fs, join(owner, ADOPTED)).filter(isVisible);

async function allOf(folders: readonly string[], holds: (folder: string) => Promise<boolean>): Promise<boolean> {
  for (const folder of folders) if (!(await holds(folder))) return false;
  return true;
}

export const ownersOf = (journal: string): string => join(journal, 'owners');

/**
 * Removes a folder whose messages have all ended; those inside it that have messages left stay. It loses its name first, so that no
 * other client finds it half removed and sends what is still there.
 *
 * @throws Error when it cannot be renamed
 */
export function removeFolder(fs: FileSystem, folder: string): void {
  if (adoptedIn(fs, folder).length > 0) {
    // The notes of what has ended come last.
    const names = listed(fs, folder).filter((name) => name !== ADOPTED);
    for (const name of names.reverse()) fs.rmSync(join(folder, name), { force: true });
    return;
  }
  const gone = join(dirname(folder), `${GONE_PREFIX}${basename(folder)}`);
  if (!renamed(fs, folder, gone) && fs.existsSync(folder)) throw new Error(`${folder} cannot be renamed`);
  removeAll(fs, gone);
}
