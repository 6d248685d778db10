import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Lifeline } from '../../lifeline.js';
import { isDead, type ProcessIdentity, thisProcess } from '../../this-process.js';

const SOCKET = 'alive';
const NOTE = 'owner.json';
const ADOPTED = 'adopted';
const DRAFT_PREFIX = '.new-';
const TIME_RADIX = 36;

/** The process that made a draft of this age ended before it was done, in ms. */
const OLD_DRAFT_MS = 60 * 60_000;

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
  readonly #owners: string;
  readonly #name: string;
  readonly #lifeline: Lifeline | undefined;

  private constructor(owners: string, name: string, lifeline: Lifeline | undefined) {
    this.#owners = owners;
    this.#name = name;
    this.#lifeline = lifeline;
    this.path = join(owners, name);
  }

  /** Whether others can still see that its client lives. */
  get isThere(): boolean {
    return existsSync(this.#lifeline === undefined ? this.path : join(this.path, SOCKET));
  }

  /** @throws the system's error */
  static create(journal: string): OwnerFolder {
    const owners = ownersOf(journal);
    makeFolder(owners);
    // Names sort by the time they were made.
    const name = `${Date.now().toString(TIME_RADIX).padStart(9, '0')}-${randomBytes(4).toString('hex')}`;
    const draft = join(owners, `${DRAFT_PREFIX}${name}`);
    const folder = new OwnerFolder(owners, name, openDraft(draft));
    // The folder gets its name last: no other client sees it without its socket.
    renameSync(draft, folder.path);
    return folder;
  }

  /**
   * Takes over the folders of dead owners; returns the folders to read, oldest first.
   *
   * @param mayRead whether this version can read a folder. One that it cannot read stays where it is
   */
  async adopt(mayRead: (folder: string) => Promise<boolean>): Promise<string[]> {
    const adopted: string[] = [];
    for (const name of readdirSync(this.#owners).sort()) {
      const from = join(this.#owners, name);
      if (isOldDraft(name)) rmSync(from, { recursive: true, force: true });
      if (name === this.#name || name.startsWith(DRAFT_PREFIX) || (await isAlive(from))) continue;
      if (!(await allOf(foldersIn(from), mayRead))) continue;
      if (renamed(from, this.#adoptedPath(name))) adopted.push(...this.#spread(name));
    }
    return adopted;
  }

  /** Moves the folders inside an adopted one beside it: paths would grow with each owner that dies. Oldest first. */
  #spread(name: string): string[] {
    const folder = this.#adoptedPath(name);
    const inner = join(folder, ADOPTED);
    const moved = listed(inner).flatMap((each) => {
      const path = join(inner, each);
      return renamed(path, this.#adoptedPath(each)) ? this.#spread(each) : foldersIn(path);
    });
    return [...moved, folder];
  }

  #adoptedPath(name: string): string {
    return join(this.path, ADOPTED, name);
  }

  /** Lets others take over the messages that are left, or removes a folder without any. */
  async release(hasRest: boolean): Promise<void> {
    if (!hasRest) removeFolder(this.path);
    await this.#lifeline?.close();
  }
}

/** Every owner's folder of a journal, oldest first, and whether the owner lives. */
export async function ownersIn(journal: string): Promise<{ path: string; isAlive: boolean }[]> {
  const owners = ownersOf(journal);
  const names = listed(owners).filter((name) => !name.startsWith(DRAFT_PREFIX));
  return Promise.all(
    names.map(async (name) => ({ path: join(owners, name), isAlive: await isAlive(join(owners, name)) })),
  );
}

/** The folder of an owner, after those that it had taken over, whose messages came earlier. */
export function foldersIn(owner: string): string[] {
  const adopted = join(owner, ADOPTED);
  return [...listed(adopted).flatMap((name) => foldersIn(join(adopted, name))), owner];
}

async function allOf(folders: readonly string[], holds: (folder: string) => Promise<boolean>): Promise<boolean> {
  for (const folder of folders) if (!(await holds(folder))) return false;
  return true;
}

/** Makes a folder and those above it. Node's own way does not end where a file system refuses a name as not found. */
export function makeFolder(path: string): void {
  const above = dirname(path);
  if (!existsSync(above) && above !== path) makeFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** Makes the contents of an owner's folder, or nothing. @throws the system's error */
function openDraft(draft: string): Lifeline | undefined {
  mkdirSync(join(draft, ADOPTED), { recursive: true, mode: 0o700 });
  const lifeline = Lifeline.open(draft, SOCKET);
  try {
    const owner: Owner = { ...thisProcess, hasSocket: lifeline !== undefined };
    writeFileSync(join(draft, NOTE), JSON.stringify(owner), { mode: 0o600 });
    return lifeline;
  } catch (error) {
    void lifeline?.close();
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

function isOldDraft(name: string): boolean {
  if (!name.startsWith(DRAFT_PREFIX)) return false;
  const madeAt = Number.parseInt(name.slice(DRAFT_PREFIX.length), TIME_RADIX);
  return Date.now() - madeAt > OLD_DRAFT_MS;
}

const ownersOf = (journal: string): string => join(journal, 'owners');

async function isAlive(folder: string): Promise<boolean> {
  const owner = noteIn(folder);
  if (owner === undefined) return false;
  if (owner.hasSocket) return Lifeline.isAlive(folder, SOCKET);
  // A process on another machine may live: only an operator can tell that it is gone.
  return !isDead(owner);
}

function noteIn(folder: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, NOTE), 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

/** Whether this process was the one to rename it. */
function renamed(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Removes a folder whose messages have all ended; those inside it that have messages left stay. */
export function removeFolder(folder: string): void {
  for (const name of listed(folder)) {
    if (name !== ADOPTED) rmSync(join(folder, name), { force: true });
  }
  for (const empty of [join(folder, ADOPTED), folder]) {
    try {
      rmdirSync(empty);
    } catch {
      // It is not empty, or a process that was killed has already removed it.
      if (existsSync(empty)) return;
    }
  }
}
