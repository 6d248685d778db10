import { isGone } from './file-system.js';
import type { JournalParts } from './journal-dependencies.js';
import { checkFormat } from './journal-format.js';
import { LeftBatches } from './left-batches.js';
import { markSource, type Source } from './owner-note.js';
import { isFull, isPassing, PROBLEMS, systemCodeOf } from './system-errors.js';

/** Finds the folders of clients that have ended, and takes over those whose messages belong to this client's source. */
export class EndedClients {
  /** True once the client is closed: then it opens no more folders. */
  isClosed = false;
  readonly #parts: Pick<JournalParts, 'fs' | 'path' | 'owner' | 'problems' | 'onEvent'>;
  readonly #source: Source;
  /** The folders that this client has taken over, by path; the value is undefined until the folder is opened. */
  readonly #taken = new Map<string, LeftBatches | undefined>();
  /** The folders that were already reported. */
  readonly #told = new Set<string>();

  constructor(parts: Pick<JournalParts, 'fs' | 'path' | 'owner' | 'problems' | 'onEvent'>, source: Source) {
    this.#parts = parts;
    this.#source = source;
  }

  get opened(): LeftBatches[] {
    return [...this.#taken.values()].filter((left) => left !== undefined);
  }

  /** Takes over the folders that ended clients left, and opens them. Never rejects. */
  async *look(): AsyncGenerator<LeftBatches, void> {
    const { fs, path, owner } = this.#parts;
    try {
      checkFormat(fs, path);
      await this.#takeOver(await owner.ended());
    } catch (error) {
      this.report(owner.path, error);
    }
    for (const [folder, left] of this.#taken) {
      if (this.isClosed) return;
      try {
        if (left === undefined) yield* this.#open(folder);
      } catch (error) {
        // This process was suspended for so long that another client has taken the folder over.
        if (isGone(fs, folder)) this.#taken.delete(folder);
        else this.report(folder, error);
      }
    }
  }

  /** Makes sure that a drop misses no message. @throws Error if a folder that was taken over could not be opened yet */
  checkOpened(): void {
    const [unread] = [...this.#taken].find(([, left]) => left === undefined) ?? [];
    if (unread !== undefined) throw new Error(`${unread}, which an earlier client left, cannot be read now. Try again`);
  }

  /** @throws the system's error */
  write(): void {
    for (const [path, left] of this.#taken) {
      left?.write();
      if (left?.files.size === 0) this.#taken.delete(path);
    }
  }

  /** Reports once that a folder cannot be read. It does not report errors that are likely to pass, such as a full disk. */
  report(path: string, error: unknown): void {
    if (this.#told.has(path) || isPassing(error) || isFull(error)) return;
    this.#told.add(path);
    const { problems, onEvent } = this.#parts;
    onEvent({ kind: 'damaged', messages: 0, error: problems.of(error, path) });
  }

  /** @throws the system's error */
  async *#open(path: string): AsyncGenerator<LeftBatches, void> {
    const { fs, owner } = this.#parts;
    const left = await LeftBatches.open(fs, path, owner);
    if (left.pending === 0) {
      left.write();
      this.#taken.delete(path);
      return;
    }
    this.#taken.set(path, left);
    yield left;
    if (left.hasDamagedNote) this.report(path, PROBLEMS.damagedNote(path));
    // This comes last because it may fail, and the messages are sent even then.
    markSource(fs, path, this.#source);
  }

  async #takeOver(folders: readonly string[]): Promise<void> {
    const { fs, owner, problems, onEvent } = this.#parts;
    let foreign = 0;
    for (const folder of folders) {
      try {
        const path = this.#source.owns(fs, folder) ? owner.take(folder) : undefined;
        if (path !== undefined) this.#taken.set(path, undefined);
        else foreign += await this.#countForeign(folder);
      } catch (error) {
        // Another client may have taken the folder over, or removed it because it was empty.
        if (systemCodeOf(error) !== 'ENOENT') this.report(folder, error);
      }
    }
    if (foreign > 0) onEvent({ kind: 'foreign', messages: foreign, error: problems.foreign() });
  }

  async #countForeign(folder: string): Promise<number> {
    if (this.#told.has(folder)) return 0;
    const { pending } = await LeftBatches.open(this.#parts.fs, folder);
    this.#told.add(folder);
    return pending;
  }
}
