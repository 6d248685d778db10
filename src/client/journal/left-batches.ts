import { setImmediate as nextTurn } from 'node:timers/promises';
import { batchFilesIn, contentOf, type JournaledMessage } from './batch-file.js';
import { removeFolder } from './client-folders.js';
import { FileReader, type FileSystem, removeFile } from './file-system.js';
import type { OwnerFolder } from './owner-folder.js';
import { StoredFile } from './stored-file.js';

/** The file of a batch that an ended client left. */
export class LeftFile extends StoredFile {
  readonly folder: LeftBatches;
  /** The size in bytes of the messages that could be read at the last read and had neither ended nor been dropped. */
  bytes = 0;
  /** True if a note of ended messages cannot be read. */
  hasDamagedNote = false;
  /** The number of messages at the last read, including those that have ended since the file was opened. */
  #found = Number.POSITIVE_INFINITY;

  constructor(fs: FileSystem, path: string, folder: LeftBatches) {
    super(fs, path);
    this.folder = folder;
  }

  /** The number of its messages that have not ended. */
  get pending(): number {
    return this.#found - this.ended.size;
  }

  /** Reads the messages that have not ended. Their bytes last until the reader's next call. @throws the system's error */
  async read(reader: FileReader): Promise<JournaledMessage[]> {
    if (this.pending === 0) {
      // The file and even its folder may have been removed.
      this.bytes = 0;
      return [];
    }
    const content = contentOf(await reader.read(this.path));
    const messages = this.waitingIn(content);
    // A note may have been written during the read.
    if (this.notes.length === 0) this.continue(content);
    this.hasDamagedNote = content.hasDamagedNote;
    this.#found = messages.length + this.ended.size;
    this.bytes = messages.reduce((sum, { json }) => sum + (json?.length ?? 0), 0);
    if (this.pending === 0) this.folder.changed.add(this);
    return messages;
  }

  override noteEnded(index: number): void {
    super.noteEnded(index);
    this.folder.changed.add(this);
  }
}

/** A message and the file in which it is. */
export interface LeftMessage extends JournaledMessage {
  readonly file: LeftFile;
}

/** The result of a drop. */
export interface Dropped {
  readonly messages: number;
  /** The number of erased bytes from which no message could be read. */
  readonly damagedBytes: number;
}

/** The folder of an ended client, with the batches that it left. */
export class LeftBatches {
  readonly path: string;
  /** The files of batches with messages that have not ended, oldest first. */
  readonly files = new Set<LeftFile>();
  /** The files to remove, because all their messages have ended, and those that need a note. */
  readonly changed = new Set<LeftFile>();
  /** The size in bytes of the messages that had not ended when the folder was opened. */
  bytes = 0;
  readonly #fs: FileSystem;
  /** True while another client writes to this folder. */
  readonly #isInUse: boolean;

  private constructor(fs: FileSystem, path: string, owner?: Pick<OwnerFolder, 'path' | 'firstNumber'>) {
    this.#fs = fs;
    this.path = path;
    this.#isInUse = path === owner?.path;
    const below = owner !== undefined && this.#isInUse ? owner.firstNumber : Number.POSITIVE_INFINITY;
    for (const file of batchFilesIn(fs, path)) {
      if (file.number < below) this.files.add(new LeftFile(fs, file.path, this));
    }
  }

  /**
   * Opens a folder and counts its messages.
   *
   * @param owner the client that opens it. If the folder is its own, the client wrote only the files from its `firstNumber` on
   * @throws the system's error
   */
  static async open(
    fs: FileSystem,
    path: string,
    owner?: Pick<OwnerFolder, 'path' | 'firstNumber'>,
  ): Promise<LeftBatches> {
    const left = new LeftBatches(fs, path, owner);
    const reader = new FileReader(fs);
    for (const file of left.files) {
      await file.read(reader);
      left.bytes += file.bytes;
    }
    return left;
  }

  /** Reads the messages in a folder that have not ended. Its client may still be writing to it. @throws the system's error */
  static async *peek(fs: FileSystem, path: string): AsyncGenerator<LeftMessage, void> {
    const reader = new FileReader(fs);
    for (const file of new LeftBatches(fs, path).files) {
      for (const message of await file.read(reader)) yield { ...message, file };
    }
  }

  get pending(): number {
    return [...this.files].reduce((sum, { pending }) => sum + pending, 0);
  }

  get hasDamagedNote(): boolean {
    return [...this.files].some((file) => file.hasDamagedNote);
  }

  /**
   * Removes the files of batches that have ended, and the folder with the last one unless another client writes to it, and notes
   * ended messages.
   *
   * @throws the system's error
   */
  write(): void {
    // Removing files comes first, because it makes room for the notes.
    for (const file of this.changed) if (file.pending === 0) this.#remove(file);
    for (const file of this.changed) {
      if (file.hasNews) file.writeNote();
      this.changed.delete(file);
    }
    if (this.files.size === 0 && !this.#isInUse) removeFolder(this.#fs, this.path);
  }

  /**
   * Erases the chosen messages and those that have ended. Returns the chosen ones of each file.
   *
   * @param goes gets undefined for what cannot be read
   * @throws the system's error
   */
  async *erase(goes: (json: Buffer | undefined) => boolean): AsyncGenerator<[LeftFile, JournaledMessage[]], void> {
    for (const file of this.files) {
      this.changed.add(file);
      yield [file, file.erase(goes)];
      await nextTurn();
    }
    this.write();
  }

  #remove(file: LeftFile): void {
    removeFile(this.#fs, file.path);
    this.files.delete(file);
    this.changed.delete(file);
  }
}
