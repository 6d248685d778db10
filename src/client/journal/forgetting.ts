import { basename } from 'node:path';
import { ClosedError } from '../../base/errors/errors.js';
import { dropDead } from './drop-dead.js';
import type { FileSystem } from './file-system.js';
import type { KeptAside } from './kept-aside.js';
import { type IsMeant, letterFilter } from './message-filter.js';
import type { OwnLog } from './own-log.js';
import type { OwnerFolder } from './owner-folder.js';
import type { Problems } from './problems.js';
import type { Recovery } from './recovery.js';
import type { WriteLoop } from './write-loop.js';

export interface ForgettingOptions {
  readonly fs: FileSystem;
  /** The path of the journal. */
  readonly path: string;
  readonly problems: Problems;
  readonly owner: Pick<OwnerFolder, 'path'>;
  readonly log: Pick<OwnLog, 'erase' | 'write'>;
  readonly recovery: Pick<Recovery, 'drop' | 'erase' | 'write'>;
  readonly aside: Pick<KeptAside, 'drop' | 'endAll'>;
  readonly writes: Pick<WriteLoop, 'writeNow'>;
}

/** Forgets what is meant, in all that a client has on disk. */
export class Forgetting {
  readonly #options: ForgettingOptions;
  #erasing: Promise<unknown> = Promise.resolve();
  #begun: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: ForgettingOptions) {
    this.#options = options;
  }

  /** Drops messages of earlier clients that no batch carries yet. @throws JournalError */
  dropEarlier(isMeant: (json: Buffer) => boolean): Promise<{ messages: number; bytes: number }> {
    return this.#orJournalError(this.#options.recovery.drop(isMeant));
  }

  /** Erases what has ended, and dead letters that are meant; returns how many. @throws ClosedError, JournalError */
  async erase(isMeant: IsMeant, erasesDamage: boolean): Promise<number> {
    if (this.#isClosed) throw new ClosedError();
    const erasing = this.#orJournalError(this.#erase(isMeant, erasesDamage));
    this.#erasing = erasing.catch(() => {});
    return erasing;
  }

  /** Registers work that forgets messages, until it has ended. */
  begin(work: Promise<unknown>): void {
    this.#begun = Promise.allSettled([this.#begun, work]);
  }

  /** Resolves when all registered work has ended. */
  async idle(): Promise<void> {
    await this.#begun;
  }

  /** Refuses new erasures from now on, because the client gives up its queue and they would miss its messages. Resolves when no erasure is running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#erasing;
  }

  async #erase(isMeant: IsMeant, erasesDamage: boolean): Promise<number> {
    const { fs, path, owner, log, recovery, aside, writes } = this.#options;
    writes.writeNow();
    const unwritten = aside.drop(isMeant);
    // A message that waits for its dead letter would not be erased, and be sent again. From here on its letter is in memory alone.
    aside.endAll();
    log.write();
    recovery.write();
    await log.erase();
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
      throw this.#options.problems.of(error);
    }
  }
}
