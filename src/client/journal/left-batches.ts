import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BatchContent, batchFilesIn, contentOf, type StoredMessage } from './batch-file.js';
import { removeFolder } from './client-folders.js';
import { FileReader, type FileSystem, removeFile } from './file-system.js';
import { StoredFile } from './stored-file.js';

/** The file of a batch that an ended client left. */
export class LeftFile extends StoredFile {
  readonly folder: LeftBatches;
  /** The size in bytes of its messages that could be read and had not ended when they were counted, without dropped ones. */
  bytes = 0;
  /** The number of its messages that had not ended when they were counted. */
  #found = Number.POSITIVE_INFINITY;

  constructor(fs: FileSystem, path: string, folder: LeftBatches) {
    super(fs, path);
    this.folder = folder;
  }

  /** The number of its messages that have not ended. */
  get pending(): number {
    return this.#found - this.ended.size;
  }

  override async read(reader: FileReader): Promise<StoredMessage[]> {
    // Without pending messages, the file and even its folder may have been removed.
    return this.pending === 0 ? [] : super.read(reader);
  }

  /** Counts the messages. @throws the system's error */
  async open(reader: FileReader): Promise<BatchContent> {
    const content = contentOf(await reader.read(this.path));
    this.continue(content);
    this.#found = content.messages.length;
    this.bytes = content.messages.reduce((sum, { json }) => sum + (json?.length ?? 0), 0);
    return content;
  }

  /** Counts this number of messages as ended, because they were counted and are not there any more. */
  endMissing(messages: number): void {
    this.#found -= messages;
  }
}

/** A message and the file in which it is. */
export interface LeftMessage extends StoredMessage {
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
  /** True if a note of ended messages cannot be read. */
  hasDamagedNote = false;
  /** The messages that could not be read when the folder was opened. */
  readonly unreadable: LeftMessage[] = [];
  readonly #fs: FileSystem;
  /** True while another client writes to this folder. */
  readonly #isInUse: boolean;
  readonly #changed = new Set<LeftFile>();
  #pending = 0;
  #bytes = 0;

  private constructor(fs: FileSystem, path: string, below: number) {
    this.#fs = fs;
    this.path = path;
    this.#isInUse = below !== Number.POSITIVE_INFINITY;
    for (const file of batchFilesIn(fs, path)) {
      if (file.number < below) this.files.add(new LeftFile(fs, file.path, this));
    }
  }

  /**
   * Opens a folder and counts its messages.
   *
   * @param below the number of the first file of the client that writes to this folder now, if there is one
   * @throws the system's error
   */
  static async open(fs: FileSystem, path: string, below = Number.POSITIVE_INFINITY): Promise<LeftBatches> {
    const left = new LeftBatches(fs, path, below);
    const reader = new FileReader(fs);
    for (const file of left.files) {
      const { messages, hasDamagedNote } = await file.open(reader);
      left.#pending += messages.length;
      left.#bytes += file.bytes;
      left.hasDamagedNote ||= hasDamagedNote;
      if (messages.length === 0) left.#changed.add(file);
      for (const message of messages) {
        // This copies the bytes because the reader reuses its memory.
        if (message.json === undefined) left.unreadable.push({ ...message, file, bytes: Buffer.from(message.bytes) });
      }
    }
    return left;
  }

  /** Reads the messages in a folder that have not ended. Its client may still be writing to it. @throws the system's error */
  static async *peek(fs: FileSystem, path: string): AsyncGenerator<LeftMessage, void> {
    const reader = new FileReader(fs);
    for (const file of new LeftBatches(fs, path, Number.POSITIVE_INFINITY).files) {
      for (const message of await file.read(reader)) yield { ...message, file };
    }
  }

  get pending(): number {
    return this.#pending;
  }

  /** The size in bytes of the messages that had not ended when the folder was opened. */
  get bytes(): number {
    return this.#bytes;
  }

  noteEnded(file: LeftFile, index: number): void {
    if (!file.noteEnded(index)) return;
    this.#pending--;
    this.#changed.add(file);
  }

  /** Counts this number of messages as ended, because they were counted and are not there any more. */
  endMissing(file: LeftFile, messages: number): void {
    file.endMissing(messages);
    this.#pending -= messages;
    this.#changed.add(file);
  }

  /** Removes the files of batches that have ended, or the folder with the last one, and notes ended messages. @throws the system's error */
  write(): void {
    if (this.#pending === 0) {
      this.remove();
      return;
    }
    // Removing files comes first, because it makes room for the notes.
    for (const file of this.#changed) if (file.pending === 0) this.#remove(file);
    for (const file of this.#changed) {
      if (file.hasNews) file.writeNote();
      this.#changed.delete(file);
    }
  }

  /** Removes the remaining files, whose messages have all ended, and the folder, unless another client now writes to it. */
  remove(): void {
    for (const file of this.files) this.#remove(file);
    if (!this.#isInUse) removeFolder(this.#fs, this.path);
  }

  /**
   * Erases the chosen messages and those that have ended.
   *
   * @param erasesDamage whether to erase also what cannot be read. If not, a batch with damage keeps all such bytes
   * @param onErased gets the chosen messages of each file
   * @throws the system's error
   */
  async erase(
    isMeant: (json: Buffer) => boolean,
    erasesDamage: boolean,
    onErased = (_file: LeftFile, _messages: readonly StoredMessage[]): void => {},
  ): Promise<void> {
    for (const file of this.files) {
      const before = file.pending;
      const erased = file.erase((json) => (json === undefined ? erasesDamage : isMeant(json)));
      this.#pending -= before - file.pending;
      this.#changed.add(file);
      onErased(file, erased);
      await nextTurn();
    }
    this.write();
  }

  #remove(file: LeftFile): void {
    removeFile(this.#fs, file.path);
    this.files.delete(file);
    this.#changed.delete(file);
  }
}
