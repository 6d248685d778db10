import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Lifeline } from '../../lifeline.js';
import { isDead, thisProcess } from '../../this-process.js';
import { StoreInUseError } from '../errors.js';

/** Who has the folder open, as a note in it says. */
interface Holder {
  readonly isShared: boolean;
  readonly pid: number;
  /** When the process began, as Linux counts it. */
  readonly ticks: string;
  /** Where its pid means something. */
  readonly place: string;
  /** Of the file with its lifeline; empty when it has none. */
  readonly lifeline: string;
}

interface Note {
  readonly number: number;
  /** Undefined once it was released. */
  readonly holder: Holder | undefined;
}

export interface FolderLockOptions {
  readonly path: string;
  /** Whether others who share may have it open too. */
  readonly isShared: boolean;
  /** How long to wait for others. */
  readonly timeoutMs: number;
}

/** How often it is looked whether others are gone, in ms. */
const LOOK_MS = 50;

const NOTE = /^holder-(\d+)$/;

const PLACE = createHash('sha256').update(thisProcess.place).digest('hex').slice(0, 8);

/**
 * A folder that one process has open, or several that share it. Notes in the folder are numbered, and only one process can
 * write the next one, which it does when all before it are dead or share. So that this holds, the last note always stays.
 * A process that dies holds nothing from then on.
 */
export class FolderLock {
  /** Whether no other process had the folder open when this one locked it. */
  readonly isFirst: boolean;
  readonly #path: string;
  readonly #number: number;
  readonly #lifeline: Lifeline | undefined;

  private constructor(path: string, { number, isFirst }: Entered, lifeline: Lifeline | undefined) {
    this.#path = path;
    this.#number = number;
    this.isFirst = isFirst;
    this.#lifeline = lifeline;
  }

  /** @throws StoreInUseError, or what the system says when there can be no note in the folder */
  static async take({ path, isShared, timeoutMs }: FolderLockOptions): Promise<FolderLock> {
    const name = randomBytes(4).toString('hex');
    const lifeline = Lifeline.open(path, socketOf(name));
    const { pid, ticks = '' } = thisProcess;
    const holder: Holder = { isShared, pid, ticks, place: PLACE, lifeline: lifeline === undefined ? '' : name };
    try {
      return new FolderLock(path, await enter(path, holder, performance.now() + timeoutMs), lifeline);
    } catch (error) {
      await lifeline?.close();
      throw error;
    }
  }

  /** Whether anybody has the folder open. */
  static async isHeld(path: string): Promise<boolean> {
    return (await holding(path, await notesIn(path))).length > 0;
  }

  async release(): Promise<void> {
    if (this.#lifeline !== undefined) return this.#lifeline.close();
    const draft = join(this.#path, `holder-${randomBytes(4).toString('hex')}.tmp`);
    await symlink(NOBODY, draft);
    await rename(draft, noteAt(this.#path, this.#number));
  }
}

interface Entered {
  readonly number: number;
  readonly isFirst: boolean;
}

async function enter(path: string, mine: Holder, deadline: number): Promise<Entered> {
  for (;;) {
    const notes = await notesIn(path);
    const others = await holding(path, notes);
    const inTheWay = others.find(({ holder }) => !(holder?.isShared && mine.isShared))?.holder;
    if (inTheWay !== undefined) {
      if (performance.now() >= deadline) throw new StoreInUseError(path, inTheWay.pid);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      continue;
    }
    const number = 1 + Math.max(0, ...notes.map((note) => note.number));
    if (!(await write(noteAt(path, number), textOf(mine)))) continue;
    for (const note of notes) if (!others.includes(note)) await remove(path, note);
    return { number, isFirst: others.length === 0 };
  }
}

/** The notes of those who live. */
async function holding(path: string, notes: readonly Note[]): Promise<Note[]> {
  const alive = await Promise.all(notes.map(({ holder }) => holder !== undefined && isAlive(path, holder)));
  return notes.filter((_, index) => alive[index]);
}

async function isAlive(path: string, { lifeline, pid, ticks, place }: Holder): Promise<boolean> {
  if (lifeline !== '') return Lifeline.isAlive(path, socketOf(lifeline));
  // Without one, nothing is known of a process in another place; it does not keep this one out for ever.
  if (place !== PLACE) return false;
  return pid === thisProcess.pid || !isDead({ ...thisProcess, pid, ticks });
}

async function notesIn(path: string): Promise<Note[]> {
  const numbers = (await readdir(path)).flatMap((name) => NOTE.exec(name)?.[1] ?? []).map(Number);
  return Promise.all(numbers.map(async (number) => ({ number, holder: await read(noteAt(path, number)) })));
}

async function remove(path: string, { number, holder }: Note): Promise<void> {
  await rm(noteAt(path, number), { force: true });
  if (holder !== undefined && holder.lifeline !== '') await rm(join(path, socketOf(holder.lifeline)), { force: true });
}

const noteAt = (path: string, number: number): string => join(path, `holder-${number}`);

const socketOf = (name: string): string => `holder-${name}.sock`;

const NOBODY = 'nobody';

/** Says whether the note is there because of this. A link is written as a whole, and takes no room on a full disk. */
async function write(note: string, text: string): Promise<boolean> {
  try {
    await symlink(text, note);
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    // Not every system lets everybody make links.
    return writeFile(note, text, { flag: 'wx' }).then(
      () => true,
      (failure: unknown) => {
        if (isCode(failure, 'EEXIST')) return false;
        throw failure;
      },
    );
  }
  return true;
}

async function read(note: string): Promise<Holder | undefined> {
  const text = await readlink(note).catch(() => readFile(note, 'utf8').catch(() => NOBODY));
  const [kind, pid, ticks = '', place = '', lifeline = ''] = text.split('.');
  if (kind !== 'alone' && kind !== 'shared') return undefined;
  return { isShared: kind === 'shared', pid: Number(pid), ticks, place, lifeline };
}

const textOf = ({ isShared, pid, ticks, place, lifeline }: Holder): string =>
  [isShared ? 'shared' : 'alone', pid, ticks, place, lifeline].join('.');

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
