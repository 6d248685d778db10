import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { type Answer, Lifeline } from '../../base/process/lifeline.js';
import { isDead, type ProcessIdentity, thisProcess } from '../../base/process/this-process.js';
import { type FileSystem, listed, systemCodeOf } from './file-system.js';
import type { Source } from './source.js';

export const SOCKET = 'alive';
const NOTE = 'owner.json';
const ADOPTED = 'adopted';
/** A folder that gets its name when it is whole, and one whose messages have all ended: they are nobody's to take. */
const DRAFT_PREFIX = '.new-';
const GONE_PREFIX = '.gone-';
const TIME_RADIX = 36;

/** The process that made a draft of this age ended before it was done, in ms. */
const OLD_DRAFT_MS = 60 * 60_000;

/** A client that lives makes its socket anew when something has removed it: so long others leave it time, in ms. */
const SOCKET_GRACE_MS = 10_000;

/** Who writes a folder: a process, or one of its worker threads. */
interface Owner extends ProcessIdentity {
  readonly hasSocket: boolean;
}

/**
 * The folder in a journal that one client writes. Its socket shows others whether that client lives, however its process or its
 * worker thread ended. A client takes over the folder of a dead one by renaming it.
 */
export class OwnerFolder {
  readonly path: string;
  readonly #fs: FileSystem;
  readonly #owners: string;
  readonly #name: string;
  readonly #source: Source | undefined;
  readonly #answer: Answer | undefined;
  #lifeline: Lifeline | undefined;

  private constructor(fs: FileSystem, owners: string, name: string, source: Source | undefined, answer?: Answer) {
    this.#fs = fs;
    this.#owners = owners;
    this.#name = name;
    this.#source = source;
    this.#answer = answer;
    this.path = join(owners, name);
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
    const folder = new OwnerFolder(fs, owners, name, source, answer);
    folder.#lifeline = openDraft(fs, draft, source, answer);
    // The folder gets its name last: no other client sees it without its socket.
    fs.renameSync(draft, folder.path);
    return folder;
  }

  /** Whether others can see that its client lives. Makes a socket anew that something has removed. */
  keep(): boolean {
    if (!this.#fs.existsSync(this.path)) return false;
    if (this.#lifeline === undefined || this.#fs.existsSync(join(this.path, SOCKET))) return true;
    // To close it removes the socket at its path: first the old one, then the new one.
    void this.#lifeline.close();
    this.#lifeline = openLifeline(this.#fs, this.path, this.#answer);
    return this.#lifeline !== undefined;
  }

  /**
   * Takes over the folders of dead owners of its source; returns the folders to read, oldest first.
   *
   * @param mayRead whether this version can read a folder. One that it cannot read stays where it is
   * @param onForeign gets the folder of each dead owner of another source, which stays too
   */
  async adopt(
    mayRead: (folder: string) => Promise<boolean>,
    onForeign: (folder: string) => void = () => {},
  ): Promise<string[]> {
    const adopted: string[] = [];
    for (const name of this.#fs.readdirSync(this.#owners).sort()) {
      const from = join(this.#owners, name);
      if (isRubbish(name)) removeAll(this.#fs, from);
      if (name === this.#name || name.startsWith('.') || (await isAlive(this.#fs, from))) continue;
      const isOurs = this.#owns(from);
      if (!isOurs) onForeign(from);
      if (!isOurs || !(await allOf(foldersIn(this.#fs, from), mayRead))) continue;
      if (renamed(this.#fs, from, this.#adoptedPath(name))) adopted.push(...this.#spread(name));
    }
    return adopted;
  }

  /** What an owner had adopted goes where its own messages go. One without a note of that leaves it to the notes inside. */
  #owns(folder: string): boolean {
    const inner = (): boolean => adoptedIn(this.#fs, folder).every((name) => this.#owns(join(folder, ADOPTED, name)));
    return this.#source === undefined || (this.#source.owns(this.#fs, folder) ?? inner());
  }

  /** Moves the folders inside an adopted one beside it: paths would grow with each owner that dies. Oldest first. */
  #spread(name: string): string[] {
    const folder = this.#adoptedPath(name);
    const moved = adoptedIn(this.#fs, folder).flatMap((each) => {
      const path = join(folder, ADOPTED, each);
      const isMoved = renamed(this.#fs, path, this.#adoptedPath(each));
      return isMoved ? this.#spread(each) : foldersIn(this.#fs, path);
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
      // Without its note a folder needs no grace when its socket goes.
      if (hasRest) this.#fs.rmSync(join(this.path, NOTE), { force: true });
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

const isVisible = (name: string): boolean => !name.startsWith('.');

async function allOf(folders: readonly string[], holds: (folder: string) => Promise<boolean>): Promise<boolean> {
  for (const folder of folders) if (!(await holds(folder))) return false;
  return true;
}

/**
 * Makes a folder and those above it; returns the lowest that was there before. Node's own way does not end where a file system
 * refuses a name as not found.
 *
 * @throws the system's error
 */
export function makeFolder(fs: FileSystem, path: string): string {
  const above = dirname(path);
  const there = fs.existsSync(above) || above === path ? above : makeFolder(fs, above);
  try {
    fs.mkdirSync(path, { mode: 0o700 });
    return there;
  } catch (error) {
    if (!fs.statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
    return path;
  }
}

/** Makes the contents of an owner's folder, or nothing. @throws the system's error */
function openDraft(
  fs: FileSystem,
  draft: string,
  source: Source | undefined,
  answer: Answer | undefined,
): Lifeline | undefined {
  for (const folder of [draft, join(draft, ADOPTED)]) fs.mkdirSync(folder, { mode: 0o700 });
  const lifeline = openLifeline(fs, draft, answer);
  try {
    const owner: Owner = { ...thisProcess, hasSocket: lifeline !== undefined };
    fs.writeFileSync(join(draft, NOTE), JSON.stringify(owner), { mode: 0o600 });
    source?.mark(fs, draft);
    return lifeline;
  } catch (error) {
    void lifeline?.close();
    fs.rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

function openLifeline(fs: FileSystem, folder: string, answer: Answer | undefined): Lifeline | undefined {
  const lifeline = Lifeline.open(folder, SOCKET, answer);
  if (lifeline !== undefined) fs.chmodSync(join(folder, SOCKET), 0o600);
  return lifeline;
}

function isRubbish(name: string): boolean {
  if (name.startsWith(GONE_PREFIX)) return true;
  if (!name.startsWith(DRAFT_PREFIX)) return false;
  const madeAt = Number.parseInt(name.slice(DRAFT_PREFIX.length), TIME_RADIX);
  return Date.now() - madeAt > OLD_DRAFT_MS;
}

const ownersOf = (journal: string): string => join(journal, 'owners');

/** Only what proves that an owner has ended counts: one that cannot be asked now is asked again. */
async function isAlive(fs: FileSystem, folder: string): Promise<boolean> {
  try {
    const owner = noteIn(fs, folder);
    // A process on another machine may live: only an operator can tell that it is gone.
    if (owner?.hasSocket === false) return !isDead(owner);
    if (await Lifeline.isAlive(folder, SOCKET)) return true;
    if (owner === undefined || isDead(owner) || fs.existsSync(join(folder, SOCKET))) return false;
    return Date.now() - fs.statSync(folder).mtimeMs < SOCKET_GRACE_MS;
  } catch (error) {
    return systemCodeOf(error) !== 'ENOENT';
  }
}

/** Undefined when it has none, or one that a loss of power has left empty. @throws the system's error */
function noteIn(fs: FileSystem, folder: string): Owner | undefined {
  try {
    return JSON.parse(fs.readFileSync(join(folder, NOTE), 'utf8')) as Owner;
  } catch (error) {
    if (error instanceof SyntaxError || systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function removeAll(fs: FileSystem, folder: string): void {
  try {
    fs.rmSync(folder, { recursive: true, force: true });
  } catch {
    // Whoever looks next tries again.
  }
}

/** Whether this process was the one to rename it. */
function renamed(fs: FileSystem, from: string, to: string): boolean {
  try {
    fs.renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

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
