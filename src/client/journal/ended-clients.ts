import { type FileSystem, isGone } from './file-system.js';
import { checkFormat } from './journal-format.js';
import { LeftBatches } from './left-batches.js';
import type { OwnerFolder } from './owner-folder.js';
import type { Source } from './owner-note.js';
import { DamagedNoteProblem, isFull, isPassing } from './system-errors.js';

export interface EndedClientsOptions {
  readonly fs: FileSystem;
  /** The path of the journal. */
  readonly path: string;
  readonly owner: Pick<OwnerFolder, 'path' | 'firstNumber' | 'takeOver'>;
  readonly source: Pick<Source, 'owns'>;
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
  /** The folders whose trouble was reported. */
  readonly #reported = new Set<string>();
  readonly #foreign = new Set<string>();

  constructor(options: EndedClientsOptions) {
    this.#options = options;
  }

  get opened(): LeftBatches[] {
    return [...this.#taken.values()].filter((left) => left !== undefined);
  }

  /** Takes over what ended clients have left, and opens it. Never rejects. */
  async look(): Promise<void> {
    const { fs, isClosed } = this.#options;
    for (const path of await this.#takeOver()) this.#taken.set(path, undefined);
    for (const [path, left] of this.#taken) {
      if (isClosed()) return;
      try {
        if (left === undefined) await this.#open(path);
      } catch (error) {
        // This client was stopped for so long that another has taken it over.
        if (isGone(fs, path)) this.#taken.delete(path);
        else this.report(path, error);
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
    if (this.#reported.has(path) || isPassing(error) || isFull(error)) return;
    this.#reported.add(path);
    this.#options.onError(path, error);
  }

  /** @throws the system's error */
  async #open(path: string): Promise<void> {
    const { fs, owner, onFound } = this.#options;
    const left = await LeftBatches.open(fs, path, path === owner.path ? owner.firstNumber : undefined);
    if (left.pending === 0) {
      left.remove();
      this.#taken.delete(path);
      return;
    }
    this.#taken.set(path, left);
    onFound(left);
    if (left.hasDamagedNote) this.report(path, new DamagedNoteProblem(path));
  }

  async #takeOver(): Promise<string[]> {
    const { fs, path, owner, source } = this.#options;
    const foreign: string[] = [];
    try {
      checkFormat(fs, path);
      const taken = await owner.takeOver({
        mayTake: (folder) => {
          const isOwn = source.owns(fs, folder);
          if (!isOwn && !this.#foreign.has(folder)) foreign.push(folder);
          return isOwn;
        },
        onError: (folder, error) => this.report(folder, error),
      });
      await this.#tellForeign(foreign);
      return taken;
    } catch (error) {
      this.report(owner.path, error);
      return [];
    }
  }

  async #tellForeign(folders: readonly string[]): Promise<void> {
    let messages = 0;
    for (const folder of folders) {
      try {
        messages += (await LeftBatches.open(this.#options.fs, folder)).pending;
        this.#foreign.add(folder);
      } catch (error) {
        // Another client may have taken it over.
        if (!isPassing(error)) this.#foreign.add(folder);
      }
    }
    if (messages > 0) this.#options.onForeign(messages);
  }
}
