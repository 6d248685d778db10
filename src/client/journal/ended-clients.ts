import { type FileSystem, isGone, systemCodeOf } from './file-system.js';
import { checkFormat } from './journal-format.js';
import { LeftBatches } from './left-batches.js';
import type { OwnerFolder } from './owner-folder.js';
import { markSource, type Source } from './owner-note.js';
import { DamagedNoteProblem, isFull, isPassing } from './system-errors.js';

export interface EndedClientsOptions {
  readonly fs: FileSystem;
  /** The path of the journal. */
  readonly path: string;
  readonly owner: Pick<OwnerFolder, 'path' | 'firstNumber' | 'ended' | 'take'>;
  readonly source: Source;
  isClosed(): boolean;
  /** Called when this client has taken over the messages of a folder. */
  onFound(left: LeftBatches): void;
  /** Called with the number of messages that ended clients of another source left, once for each folder. The messages stay. */
  onForeign(messages: number): void;
  /** Called when a folder cannot be read. The folder stays, and the client tries again. */
  onError(folder: string, error: unknown): void;
}

/** Finds the folders of clients that have ended, and takes over those whose messages belong to this client's source. */
export class EndedClients {
  readonly #options: EndedClientsOptions;
  /** The folders that this client has taken over, by path; the value is undefined until the folder is opened. */
  readonly #taken = new Map<string, LeftBatches | undefined>();
  /** The folders that were already reported. */
  readonly #told = new Set<string>();

  constructor(options: EndedClientsOptions) {
    this.#options = options;
  }

  get opened(): LeftBatches[] {
    return [...this.#taken.values()].filter((left) => left !== undefined);
  }

  /** Takes over the folders that ended clients left, and opens them. Never rejects. */
  async look(): Promise<void> {
    const { fs, path, owner, isClosed } = this.#options;
    try {
      checkFormat(fs, path);
      await this.#takeOver(await owner.ended());
    } catch (error) {
      this.report(owner.path, error);
    }
    for (const [folder, left] of this.#taken) {
      if (isClosed()) return;
      try {
        if (left === undefined) await this.#open(folder);
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
      if (left?.pending === 0) this.#taken.delete(path);
    }
  }

  /** Reports once that a folder cannot be read. It does not report errors that are likely to pass, such as a full disk. */
  report(path: string, error: unknown): void {
    if (this.#told.has(path) || isPassing(error) || isFull(error)) return;
    this.#told.add(path);
    this.#options.onError(path, error);
  }

  /** @throws the system's error */
  async #open(path: string): Promise<void> {
    const { fs, owner, source, onFound } = this.#options;
    const left = await LeftBatches.open(fs, path, path === owner.path ? owner.firstNumber : undefined);
    if (left.pending === 0) {
      left.remove();
      this.#taken.delete(path);
      return;
    }
    this.#taken.set(path, left);
    onFound(left);
    if (left.hasDamagedNote) this.report(path, new DamagedNoteProblem(path));
    // This comes last because it may fail, and the messages are sent all the same.
    markSource(fs, path, source);
  }

  async #takeOver(folders: readonly string[]): Promise<void> {
    const { fs, owner, source, onForeign } = this.#options;
    let foreign = 0;
    for (const folder of folders) {
      try {
        const path = source.owns(fs, folder) ? owner.take(folder) : undefined;
        if (path !== undefined) this.#taken.set(path, undefined);
        else foreign += await this.#countForeign(folder);
      } catch (error) {
        // Another client may have taken the folder over, or removed it because it was empty.
        if (systemCodeOf(error) !== 'ENOENT') this.report(folder, error);
      }
    }
    if (foreign > 0) onForeign(foreign);
  }

  async #countForeign(folder: string): Promise<number> {
    if (this.#told.has(folder)) return 0;
    const { pending } = await LeftBatches.open(this.#options.fs, folder);
    this.#told.add(folder);
    return pending;
  }
}
