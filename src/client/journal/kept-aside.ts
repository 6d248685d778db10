import type { Clock } from '../../base/time/clock.js';
import type { Batch } from '../queue/batch.js';
import type { ErrorOf } from '../queue/results.js';
import { DamagedFiles } from './damaged-files.js';
import type { DeadLetterLimits } from './dead-letter-file.js';
import { DeadLetters } from './dead-letters.js';
import type { JournalEvent } from './event.js';
import type { FileSystem } from './file-system.js';
import { type IsMeant, letterFilter } from './filter.js';
import type { Problems } from './problems.js';
import type { Remains } from './recovery.js';

export interface KeptAsideOptions extends DeadLetterLimits {
  readonly fs: FileSystem;
  /** That of the journal. */
  readonly path: string;
  /** Names the files of this client. */
  readonly owner: string;
  readonly clock: Clock;
  readonly problems: Problems;
  onEvent(event: JournalEvent): void;
}

/**
 * What a journal keeps and does not send: dead letters, and bytes that no message can be read from. They are counted as lost already: that
 * they cannot be written keeps no message from being stored.
 */
export class KeptAside {
  readonly #options: KeptAsideOptions;
  readonly #letters: DeadLetters;
  readonly #damaged: DamagedFiles;
  /** Whether an event has told that they cannot be written. */
  #isUnkept = false;

  constructor(options: KeptAsideOptions) {
    const { fs, path, owner } = options;
    this.#options = options;
    this.#letters = new DeadLetters(fs, path, owner, options);
    this.#damaged = new DamagedFiles(fs, path);
  }

  /** Adds a dead letter for each message of a batch, from `from` up to, and without, `to`, that was lost with its bytes intact. */
  bury(batch: Batch, from: number, to: number, errorOf: ErrorOf): void {
    const at = this.#options.clock.wall();
    for (let index = from; index < to; index++) {
      const error = errorOf(index);
      if (error === undefined || error.code === 'EVENTFERRY_JOURNAL_DAMAGED' || batch.dropped.has(index)) continue;
      this.#letters.add(at, error, batch.messages(index, index + 1).toString());
    }
  }

  /** Adds what is left of a client's folder; says where its bytes are, if there are any. */
  addDamage(folder: string, remains: readonly Remains[]): string | undefined {
    return this.#damaged.add(folder, remains);
  }

  /** Forgets the letters that were not written yet and are meant; returns how many. */
  drop(isMeant: IsMeant): number {
    return this.#letters.drop(letterFilter(isMeant));
  }

  /** Hands all to the operating system. What fails is tried again by the next call, and told once. */
  write(): void {
    const { problems, onEvent } = this.#options;
    try {
      try {
        this.#damaged.write();
      } finally {
        this.#writeLetters();
      }
      this.#isUnkept = false;
    } catch (error) {
      if (!this.#isUnkept) onEvent({ kind: 'unkept', error: problems.of(error) });
      this.#isUnkept = true;
    }
  }

  #writeLetters(): void {
    const { clock, onEvent } = this.#options;
    const messages = this.#letters.write(clock.wall());
    if (messages > 0) onEvent({ kind: 'dropped', messages });
  }
}
