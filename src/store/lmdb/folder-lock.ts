import { randomBytes } from 'node:crypto';
import { rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Lifeline } from '../../base/process/lifeline.js';
import { StoreInUseError } from '../store-errors.js';
import {
  type Holder,
  isAlive,
  isElsewhere,
  isThisProcess,
  NOBODY,
  type Note,
  noteAt,
  notesIn,
  removeNote,
  socketOf,
  thisHolder,
  writeNote,
} from './holder.js';

export interface FolderLockOptions {
  readonly path: string;
  /** How long to wait for another process, in ms. */
  readonly timeoutMs: number;
  /** Called with the process that has the folder, before the waiting begins. */
  readonly onWait?: ((holder: Holder) => void) | undefined;
  /** Called with the path of the socket that shows others that this process lives, to let other users use it. */
  readonly onSocket?: ((path: string) => void) | undefined;
  /** Aborting it ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** How often the lock checks whether the other process is gone, in ms. */
const LOOK_MS = 50;

/**
 * Ensures that only one process has a folder open. The notes in the folder are numbered, and only one process can write the next
 * note, which it does when the processes of all earlier notes are dead. The last note always stays, so that the numbers keep
 * growing. The lock of a process ends with the process.
 */
export class FolderLock {
  readonly #path: string;
  readonly #number: number;
  readonly #lifeline: Lifeline | undefined;

  private constructor(path: string, number: number, lifeline: Lifeline | undefined) {
    this.#path = path;
    this.#number = number;
    this.#lifeline = lifeline;
  }

  /** @throws StoreInUseError, the reason of the signal, or the system's error when no note can be written to the folder */
  static async take(options: FolderLockOptions): Promise<FolderLock> {
    const { path } = options;
    const name = randomBytes(4).toString('hex');
    const lifeline = Lifeline.open(path, socketOf(name));
    try {
      if (lifeline !== undefined) options.onSocket?.(join(path, socketOf(name)));
      return new FolderLock(path, await enter(thisHolder(lifeline === undefined ? '' : name), options), lifeline);
    } catch (error) {
      await lifeline?.close();
      throw error;
    }
  }

  /** Resolves to true if a process has the folder open. */
  static async isHeld(path: string): Promise<boolean> {
    return (await holding(path, await notesIn(path))) !== undefined;
  }

  async release(): Promise<void> {
    if (this.#lifeline !== undefined) return this.#lifeline.close();
    const draft = join(this.#path, `holder-${randomBytes(4).toString('hex')}.tmp`);
    await symlink(NOBODY, draft);
    await rename(draft, noteAt(this.#path, this.#number));
  }
}

/** Resolves to the number of this process's note. */
async function enter(mine: Holder, { path, timeoutMs, onWait, signal }: FolderLockOptions): Promise<number> {
  const deadline = performance.now() + timeoutMs;
  for (let hasWaited = false; ; ) {
    const notes = await notesIn(path);
    const inTheWay = await holding(path, notes);
    if (inTheWay !== undefined) {
      if (performance.now() >= deadline) throw inUse(path, inTheWay);
      if (!hasWaited) onWait?.(inTheWay.holder);
      hasWaited = true;
      await delay(LOOK_MS, undefined, { signal });
      continue;
    }
    const number = 1 + Math.max(0, ...notes.map((note) => note.number));
    if (!(await writeNote(noteAt(path, number), mine))) continue;
    for (const note of notes) await removeNote(path, note);
    return number;
  }
}

type Held = Note & { readonly holder: Holder };

/** Resolves to the note of a process that is alive. */
async function holding(path: string, notes: readonly Note[]): Promise<Held | undefined> {
  const held = notes.filter((note): note is Held => note.holder !== undefined);
  const alive = await Promise.all(held.map(({ holder }) => isAlive(path, holder)));
  return held.find((_, index) => alive[index]);
}

function inUse(path: string, { number, holder }: Held): StoreInUseError {
  const note = isElsewhere(path, holder) ? noteAt(path, number) : undefined;
  return new StoreInUseError(path, { ...holder, isOurs: isThisProcess(holder), note });
}
