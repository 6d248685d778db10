import { damagedNotesIn } from './ended-file.js';
import { type FileSystem, isGone } from './file-system.js';
import type { OwnerFolder } from './owner-folder.js';
import { RecoveredFolder } from './recovered-folder.js';
import { segmentsIn } from './segment-reader.js';
import { DamagedNoteProblem, isPassing, NewerVersionProblem } from './system-errors.js';

export interface LeftFoldersOptions {
  readonly fs: FileSystem;
  readonly owner: OwnerFolder;
  isClosed(): boolean;
  /** A folder with messages is this client's now. */
  onFound(folder: RecoveredFolder): void;
  /** Dead clients of another source have left so many messages, which stay. Told once of each folder. */
  onForeign(messages: number): void;
  /** A folder cannot be read. It stays, and is tried again. */
  onError(folder: string, error: unknown): void;
}

/** The folders of dead clients: finds them, takes over those of its source, and opens each. */
export class LeftFolders {
  readonly #options: LeftFoldersOptions;
  /** The folders that are this client's, by their paths; undefined for one that was not opened yet. */
  readonly #open = new Map<string, RecoveredFolder | undefined>();
  /** The folders whose trouble was reported. */
  readonly #reported = new Set<string>();
  readonly #newer = new Set<string>();
  readonly #foreign = new Set<string>();

  constructor(options: LeftFoldersOptions) {
    this.#options = options;
  }

  get opened(): RecoveredFolder[] {
    return [...this.#open.values()].filter((folder) => folder !== undefined);
  }

  /** Takes over the folders of dead owners, and opens them. Never rejects. */
  async look(): Promise<void> {
    const { fs, isClosed } = this.#options;
    for (const path of await this.#adopt()) this.#open.set(path, undefined);
    for (const [path, folder] of this.#open) {
      if (isClosed()) return;
      try {
        if (folder === undefined) await this.#openFolder(path);
      } catch (error) {
        // This client was stopped for so long that another has taken it over.
        if (isGone(fs, path)) this.#open.delete(path);
        else this.report(path, error);
      }
    }
  }

  /** A search must miss nothing. @throws Error when a folder cannot be opened now */
  checkOpened(): void {
    const [unread] = [...this.#open].find(([, folder]) => folder === undefined) ?? [];
    if (unread !== undefined) throw new Error(`${unread}, which an earlier client left, cannot be read now. Try again`);
  }

  /** @throws the system's error */
  write(): void {
    for (const [path, folder] of this.#open) {
      folder?.write();
      if (folder?.pending === 0) this.#open.delete(path);
    }
  }

  /** Tells of a folder that cannot be read, once. What passes by itself is not worth a word. */
  report(path: string, error: unknown): void {
    if (this.#reported.has(path) || isPassing(error)) return;
    this.#reported.add(path);
    this.#options.onError(path, error);
  }

  /** @throws the system's error */
  async #openFolder(path: string): Promise<void> {
    const { fs, onFound } = this.#options;
    const damagedNotes = damagedNotesIn(fs, path);
    const folder = await RecoveredFolder.open(fs, path);
    if (folder.pending === 0) {
      // Whatever its notes say, there is nothing to be sent again. A client that ended before its first message has noted nothing.
      folder.remove();
      this.#open.delete(path);
      return;
    }
    this.#open.set(path, folder);
    onFound(folder);
    if (damagedNotes.length > 0) this.report(path, new DamagedNoteProblem(damagedNotes));
  }

  async #adopt(): Promise<string[]> {
    const { owner } = this.#options;
    const foreign: string[] = [];
    try {
      const adopted = await owner.adopt((folder) => this.#mayRead(folder), {
        onForeign: (folder) => foreign.push(folder),
        onError: (folder, error) => this.report(folder, error),
      });
      await this.#tellForeign(foreign.filter((folder) => !this.#foreign.has(folder)));
      return adopted;
    } catch (error) {
      this.report(owner.path, error);
      return [];
    }
  }

  async #tellForeign(folders: readonly string[]): Promise<void> {
    let messages = 0;
    for (const folder of folders) {
      const pending = await this.#pendingIn(folder);
      if (pending === undefined) continue;
      this.#foreign.add(folder);
      messages += pending;
    }
    if (messages > 0) this.#options.onForeign(messages);
  }

  /**
   * Counts the messages that wait in a folder; none in one that another client has just taken over, or that is of a newer version. Undefined
   * when that cannot be told now.
   */
  async #pendingIn(folder: string): Promise<number | undefined> {
    try {
      return (await RecoveredFolder.open(this.#options.fs, folder)).pending;
    } catch (error) {
      return isPassing(error) ? undefined : 0;
    }
  }

  /** Says whether this version can read a folder, as far as that can be told now. */
  async #mayRead(path: string): Promise<boolean> {
    if (this.#newer.has(path)) return false;
    try {
      await segmentsIn(this.#options.fs, path);
      return true;
    } catch (error) {
      if (error instanceof NewerVersionProblem) this.#newer.add(path);
      // Another client may have taken it over, or removed it as nothing was left.
      if (this.#options.fs.existsSync(path)) this.report(path, error);
      return false;
    }
  }
}
