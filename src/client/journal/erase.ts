import { basename, join } from 'node:path';
import { ClosedError } from '../../base/errors/errors.js';
import { foldersIn } from './client-folders.js';
import {
  type DeadLetter,
  damagedOf,
  deadLetterFilesIn,
  deadLettersOf,
  eraseLetters,
  writerOf,
} from './dead-letter-file.js';
import type { DeadLetterWriter } from './dead-letter-writer.js';
import { type FileSystem, listed, removeFile } from './file-system.js';
import type { JournalParts } from './journal-dependencies.js';
import type { Dropped } from './left-batches.js';
import { type IsMeant, letterFilter } from './message-filter.js';
import type { OwnBatches } from './own-batches.js';
import type { Recovery } from './recovery.js';
import type { WriteLoop } from './write-loop.js';

/** The parts of a client that have messages on disk. */
export interface ErasableParts extends Pick<JournalParts, 'fs' | 'path' | 'problems'> {
  readonly owner: { readonly path: string };
  readonly own: Pick<OwnBatches, 'erase'>;
  readonly recovery: Pick<Recovery, 'drop' | 'erase'>;
  readonly letters: Pick<DeadLetterWriter, 'drop' | 'endAll'>;
  readonly writes: Pick<WriteLoop, 'writeNow'>;
}

/** Erases forgotten messages from everything that a client has on disk. */
export class Eraser {
  readonly #parts: ErasableParts;
  #erasing: Promise<unknown> = Promise.resolve();
  #begun: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(parts: ErasableParts) {
    this.#parts = parts;
  }

  /** Drops messages of earlier clients that are in no batch yet. @throws JournalError */
  dropEarlier(isMeant: (json: Buffer) => boolean): Promise<{ messages: number; bytes: number }> {
    return this.#orJournalError(this.#parts.recovery.drop(isMeant));
  }

  /** Erases ended messages and the chosen dead letters. Returns the number of letters. @throws ClosedError, JournalError */
  async erase(isMeant: IsMeant, erasesDamage: boolean): Promise<number> {
    if (this.#isClosed) throw new ClosedError();
    const erasing = this.#orJournalError(this.#erase(isMeant, erasesDamage));
    this.#erasing = erasing.catch(() => {});
    return erasing;
  }

  /** Registers work that forgets messages, so that `idle` waits for its end. */
  begin(work: Promise<unknown>): void {
    this.#begun = Promise.allSettled([this.#begun, work]);
  }

  /** Resolves when all registered work has ended. */
  async idle(): Promise<void> {
    await this.#begun;
  }

  /** Refuses erasures from now on: the client gives up its queue, so they would miss messages. Resolves when none is running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#erasing;
  }

  async #erase(isMeant: IsMeant, erasesDamage: boolean): Promise<number> {
    const { fs, path, owner, own, recovery, letters, writes } = this.#parts;
    writes.writeNow();
    const unwritten = letters.drop(isMeant, erasesDamage);
    // A message that waits for its dead letter has not ended, so it would not be erased. From here its letter is only in memory.
    letters.endAll();
    await own.erase(erasesDamage);
    await recovery.erase(erasesDamage);
    const dead = await dropDead(fs, path, {
      isMeant: letterFilter(isMeant),
      erasesDamage,
      own: basename(owner.path),
    });
    writes.writeNow();
    return unwritten + dead.messages;
  }

  async #orJournalError<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw this.#parts.problems.of(error);
    }
  }
}

export interface DropDeadOptions {
  isMeant(letter: DeadLetter): boolean;
  /** Whether to erase also what cannot be read, except in files that a living client may be writing. */
  readonly erasesDamage: boolean;
  /** The name of the client that calls this. It writes nothing in the meantime. */
  readonly own?: string | undefined;
}

/** Erases dead letters of a journal, one file at a time, with `erasesDamage` also damaged bytes. @throws the system's error */
export async function dropDead(fs: FileSystem, journal: string, options: DropDeadOptions): Promise<Dropped> {
  const { isMeant, erasesDamage, own } = options;
  const found = await foldersIn(fs, journal);
  const living = new Set(found.flatMap(({ path, state }) => (state === 'ended' ? [] : basename(path))));
  let [messages, damagedBytes] = [0, erasesDamage ? removeDamaged(fs, journal) : 0];
  for (const file of deadLetterFilesIn(fs, deadLettersOf(journal))) {
    const writer = writerOf(file) ?? '';
    const mayGrow = writer !== own && living.has(writer);
    const isPieceMeant = (letter: DeadLetter | undefined, _: number, bytes: number): boolean => {
      const goes = letter === undefined ? erasesDamage && !mayGrow : isMeant(letter);
      if (!goes) return false;
      if (letter === undefined) damagedBytes += bytes;
      else messages++;
      return true;
    };
    eraseLetters(fs, file, isPieceMeant, !mayGrow);
  }
  return { messages, damagedBytes };
}

/** Removes a journal's files of damaged bytes. Returns the number of bytes. Another process may be erasing them too. */
function removeDamaged(fs: FileSystem, journal: string): number {
  let bytes = 0;
  for (const name of listed(fs, damagedOf(journal), 'files')) {
    const path = join(damagedOf(journal), name);
    bytes += fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    removeFile(fs, path);
  }
  return bytes;
}
