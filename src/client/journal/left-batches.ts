import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type BatchFile,
  batchFilesIn,
  contentOf,
  erasedCopy,
  noteOf,
  type Places,
  type StoredMessage,
} from './batch-file.js';
import { removeFolder } from './client-folders.js';
import { bytesIn, FileReader, type FileSystem, systemCodeOf, writeAll, writeOver } from './file-system.js';

/** A batch that an ended client left. */
interface LeftBatch extends BatchFile {
  /** The number of its messages that have not ended. Infinity until they are counted. */
  pending: number;
  /** The number of messages in the file, and the position of the next note. */
  count: number;
  end: number;
  /** The messages that ended after the file was opened, and those of them that are not in a note yet, by index. */
  readonly ended: Set<number>;
  unnoted: number[];
}

export interface LeftMessage extends StoredMessage {
  readonly batch: LeftBatch;
}

/** The place of a message: its batch and its index there. */
export type LeftPlace = Pick<LeftMessage, 'batch' | 'index'>;

/** The result of a drop. */
export interface Dropped {
  readonly messages: number;
  /** The number of erased bytes from which no message could be read. */
  readonly damagedBytes: number;
}

/** The result of an erasure. @property damaged at least the number of erased messages that could not be read */
interface Erased extends Dropped {
  readonly damaged: number;
}

/** The batches in the folder of an ended client. It reads them one at a time. */
export class LeftBatches {
  readonly path: string;
  /** True if a note of ended messages cannot be read. */
  hasDamagedNote = false;
  readonly #fs: FileSystem;
  /** The number of the first file of the client that writes to this folder now, or infinity if there is none. */
  readonly #below: number;
  #batches: LeftBatch[];
  readonly #changed = new Set<LeftBatch>();
  /** The messages that could not be read when the folder was opened. */
  readonly unreadable: LeftMessage[] = [];
  #pending = 0;
  #bytes = 0;

  private constructor(fs: FileSystem, path: string, below: number) {
    this.#fs = fs;
    this.path = path;
    this.#below = below;
    const files = batchFilesIn(fs, path).filter(({ number }) => number < below);
    this.#batches = files.map((file) => ({
      ...file,
      pending: Number.POSITIVE_INFINITY,
      count: 0,
      end: 0,
      ended: new Set(),
      unnoted: [],
    }));
  }

  /** Opens a folder and counts its messages. @throws the system's error */
  static async open(fs: FileSystem, path: string, below = Number.POSITIVE_INFINITY): Promise<LeftBatches> {
    const left = new LeftBatches(fs, path, below);
    await left.#count();
    return left;
  }

  /** Reads the messages in a folder that have not ended. Its client may still be writing to it. @throws the system's error */
  static peek(fs: FileSystem, path: string): AsyncGenerator<LeftMessage, void> {
    return new LeftBatches(fs, path, Number.POSITIVE_INFINITY).messages();
  }

  get pending(): number {
    return this.#pending;
  }

  /** The size in bytes of the messages that had not ended when the folder was opened. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Reads the messages after a place that have not ended, in the order of acceptance. Each one's bytes last until the next. */
  async *messages(after?: LeftPlace): AsyncGenerator<LeftMessage, void> {
    const reader = new FileReader(this.#fs);
    for (const batch of [...this.#batches]) {
      // The file of a batch without pending messages may be gone.
      if (batch.pending === 0 || (after !== undefined && batch.number < after.batch.number)) continue;
      for (const message of contentOf(await reader.read(batch.path)).messages) {
        const isBefore = batch === after?.batch && message.index <= after.index;
        if (!isBefore && !batch.ended.has(message.index)) yield { ...message, batch };
      }
    }
  }

  noteEnded({ batch, index }: LeftPlace): void {
    if (batch.ended.has(index)) return;
    batch.ended.add(index);
    batch.unnoted.push(index);
    batch.pending--;
    this.#pending--;
    this.#changed.add(batch);
  }

  /** Counts this number of messages as ended, because they were counted and are not there any more. */
  endRest(messages: number): void {
    this.#pending -= messages;
  }

  /** Removes the files of batches that have ended, or the folder with the last one, and notes ended messages. @throws the system's error */
  write(): void {
    if (this.#pending === 0) {
      this.remove();
      return;
    }
    // Files without any message count as ended, too. Removing files comes first, because it makes room for the notes.
    this.#batches = this.#batches.filter(({ path, pending }) => {
      if (pending === 0) this.#fs.rmSync(path, { force: true });
      return pending > 0;
    });
    for (const batch of this.#changed) {
      if (batch.pending > 0) this.#note(batch);
      this.#changed.delete(batch);
    }
  }

  /** Removes the remaining files, whose messages have all ended, and the folder, unless another client now writes to it. */
  remove(): void {
    for (const { path } of this.#batches) this.#fs.rmSync(path, { force: true });
    this.#batches = [];
    if (this.#below === Number.POSITIVE_INFINITY) removeFolder(this.#fs, this.path);
  }

  /**
   * Erases the chosen messages and those that have ended.
   *
   * @param erasesDamage whether to erase also what cannot be read. If not, a batch with damage keeps all such bytes
   * @throws the system's error
   */
  async erase(isMeant: (json: Buffer) => boolean, erasesDamage: boolean): Promise<Erased> {
    let [messages, damaged, damagedBytes] = [0, 0, 0];
    for (const batch of [...this.#batches]) {
      for (const { json, bytes, index } of this.#eraseIn(batch, (json) =>
        json === undefined ? erasesDamage : isMeant(json),
      )) {
        this.noteEnded({ batch, index });
        if (json !== undefined) messages++;
        else [damaged, damagedBytes] = [damaged + 1, damagedBytes + bytes.length];
      }
      // Erased messages need no note.
      batch.unnoted = [];
      this.#changed.delete(batch);
      await nextTurn();
    }
    return { messages, damaged, damagedBytes };
  }

  /** Erases messages in one file. Returns those of them that had not ended. */
  #eraseIn(batch: LeftBatch, goes: (json: Buffer | undefined) => boolean): StoredMessage[] {
    const bytes = bytesIn(this.#fs, batch.path);
    const left = contentOf(bytes).messages.filter(({ index }) => !batch.ended.has(index));
    const staying = new Set(left.filter(({ json }) => !goes(json)));
    const indexes = new Set([...staying].map(({ index }) => index));
    if (staying.size === 0) this.#fs.rmSync(batch.path, { force: true });
    else {
      const keepsRest = [...staying].some(({ json }) => json === undefined);
      const after = erasedCopy(bytes, ({ index }) => indexes.has(index), keepsRest);
      if (!after.equals(bytes)) writeOver(this.#fs, batch.path, after, true);
    }
    return left.filter((message) => !staying.has(message));
  }

  #note(batch: LeftBatch): void {
    const places = batch.unnoted.map((index): Places => [index, index + 1]);
    const note = noteOf(batch.count, places);
    try {
      const handle = this.#fs.openSync(batch.path, 'r+');
      try {
        this.#fs.ftruncateSync(handle, batch.end);
        writeAll(this.#fs, handle, note, note.length, batch.end);
      } finally {
        this.#fs.closeSync(handle);
      }
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT') throw error;
    }
    batch.end += note.length;
    batch.unnoted = [];
  }

  async #count(): Promise<void> {
    const reader = new FileReader(this.#fs);
    for (const batch of this.#batches) {
      const { messages, hasDamagedNote, count, end } = contentOf(await reader.read(batch.path));
      Object.assign(batch, { pending: messages.length, count, end });
      this.#pending += messages.length;
      this.hasDamagedNote ||= hasDamagedNote;
      for (const message of messages) {
        this.#bytes += message.json?.length ?? 0;
        // This copies the bytes because the reader reuses its memory.
        if (message.json === undefined) this.unreadable.push({ ...message, batch, bytes: Buffer.from(message.bytes) });
      }
    }
  }
}
