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
  /** The messages of a folder are this client's now. */
  onFound(left: LeftBatches): void;
  /** Ended clients of another source have left so many messages, which stay. Told once of each folder. */
  onForeign(messages: number): void;
  /** A folder cannot be read. It stays, and is tried again. */
  onError(folder: string, error: unknown): void;
}

/** The clients that have ended: finds what they have left, and takes over what is for the source of this one. */
export class EndedClients {
  readonly #options: EndedClientsOptions;
  /** The folders that are this client's, by their paths; undefined for one that was not opened yet. */
  readonly #taken = new Map<string, LeftBatches | undefined>();
  /** The folders of which something was told. */
  readonly #told = new Set<string>();

  constructor(options: EndedClientsOptions) {
    this.#options = options;
  }

  get opened(): LeftBatches[] {
    return [...this.#taken.values()].filter((left) => left !== undefined);
  }

  /** Takes over what ended clients have left, and opens it. Never rejects. */
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
        // This client was stopped for so long that another has taken it over.
        if (isGone(fs, folder)) this.#taken.delete(folder);
        else this.report(folder, error);
      }
    }
  }

  /** A search must miss nothing. @throws Error when a folder cannot be opened now */
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

  /** Tells of a folder that cannot be read, once. What passes by itself is not worth a word. */
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
    // Last: where it cannot be noted, the messages are sent all the same.
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
        // Another client may have taken it over, or removed it as nothing was left.
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
