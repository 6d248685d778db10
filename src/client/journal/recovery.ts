import type { Batch } from '../queue/batch.js';
import { EndedClients } from './ended-clients.js';
import { FileReader } from './file-system.js';
import type { JournalParts } from './journal-dependencies.js';
import type { LeftBatches, LeftFile, LeftMessage } from './left-batches.js';
import type { Source } from './owner-note.js';

/** Calls `end` once the dead letters of given-up messages are written. Until then the next process would send them again. */
export type EndLater = (end: () => void) => void;

/** Bytes from which no message can be read. */
export interface Remains {
  readonly bytes: Buffer;
  /** The path of the file with the bytes, or an empty text if it is missing, and the position of the first byte. */
  readonly path: string;
  readonly at: number;
}

export interface RecoveryParts
  extends Pick<JournalParts, 'fs' | 'path' | 'owner' | 'problems' | 'onEvent' | 'newBatch' | 'onRecovered'> {
  readonly source: Source;
  /** Called when messages cannot be read and are lost. @param remains one entry per message @param bytes their counted size */
  onDamaged(folder: string, remains: readonly Remains[], bytes: number): void;
  /** Resolves when it is time to read a file again after a failure. */
  pause(): Promise<void>;
}

/** The place of a message: its file and its index there. */
type MessagePlace = Pick<LeftMessage, 'file' | 'index'>;

/** Reads the messages of ended clients as batches, in the order in which they were accepted. */
export class Recovery {
  readonly #parts: RecoveryParts;
  readonly #clients: EndedClients;
  readonly #reader: FileReader;
  /** The files to read, oldest first. */
  readonly #unread = new Set<LeftFile>();
  /** The messages of the last file that was read that are in no batch yet. */
  #read: LeftMessage[] = [];
  readonly #batches = new Map<Batch, readonly MessagePlace[]>();
  /** The last batch that ended. The next one reuses its memory, so that batches do not become garbage. */
  #over: Batch | undefined;
  #looking: Promise<void> | undefined;
  #hasLooked = false;
  #next: Promise<Batch | undefined> = Promise.resolve(undefined);

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
    this.#clients = new EndedClients(parts, parts.source);
    this.#reader = new FileReader(parts.fs);
  }

  /** True while there may be another batch. */
  get hasMore(): boolean {
    return !this.#clients.isClosed && (!this.#hasLooked || this.#unread.size > 0 || this.#read.length > 0);
  }

  /** Takes over what ended clients left. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      this.#hasLooked = true;
    });
    return this.#looking;
  }

  /** Returns the next batch, with messages of one client, or undefined if there is none. */
  next(): Promise<Batch | undefined> {
    // Two reads at the same time would mix up their messages.
    this.#next = this.#next.then(() => this.#readBatch());
    return this.#next;
  }

  has(batch: Batch): boolean {
    return this.#batches.has(batch);
  }

  /** @param endLater delays the end of messages until their dead letters are written */
  noteEnded(batch: Batch, from: number, to: number, endLater: EndLater = (end) => end()): void {
    const places = this.#batches.get(batch);
    if (places === undefined) return;
    const kept = batch.keptOf(from, to);
    endLater(() => {
      for (const index of kept) endAt(places[index]);
    });
    if (!batch.isOver) return;
    this.#batches.delete(batch);
    this.#over = batch;
  }

  /** Notes that one message of a batch was dropped. */
  noteDropped(batch: Batch, index: number): void {
    endAt(this.#batches.get(batch)?.[index]);
  }

  /** Drops the chosen messages that are in no batch yet. @throws the system's error */
  drop(isMeant: (json: Buffer) => boolean): Promise<{ messages: number; bytes: number }> {
    return this.#alone(async () => {
      await this.look();
      this.#clients.checkOpened();
      const found: { file: LeftFile; index: number; bytes: number }[] = [];
      const isDropped = ({ json, file, index }: LeftMessage): boolean => {
        if (json === undefined || !isMeant(json)) return false;
        found.push({ file, index, bytes: json.length });
        return true;
      };
      const stay = this.#read.filter((message) => !isDropped(message));
      const reader = new FileReader(this.#parts.fs);
      for (const file of this.#unread) (await this.#messagesOf(file, reader)).forEach(isDropped);
      // If a file cannot be read, nothing is dropped, because the caller would not count it.
      this.#read = stay;
      const dropped = { messages: found.length, bytes: 0 };
      for (const { file, index, bytes } of found) {
        file.noteEnded(index);
        file.bytes -= bytes;
        dropped.bytes += bytes;
      }
      return dropped;
    });
  }

  /** Erases all messages that have ended. @throws the system's error */
  erase(erasesDamage: boolean): Promise<void> {
    return this.#alone(async () => {
      for (const left of this.#clients.opened) {
        for await (const [file, erased] of left.erase((json) => erasesDamage && json === undefined)) {
          // The messages of other files are in memory.
          if (this.#unread.has(file)) this.#tellLost(file, Array(erased.length).fill(MISSING));
        }
      }
    });
  }

  /** Notes ended messages on the disk. @throws the system's error */
  write(): void {
    this.#clients.write();
  }

  close(): void {
    this.#clients.isClosed = true;
  }

  async #look(): Promise<void> {
    for await (const left of this.#clients.look()) this.#add(left);
  }

  #add({ files, pending, bytes }: LeftBatches): void {
    // This comes first: a listener may flush, which has to wait for these messages.
    for (const file of files) if (file.pending > 0) this.#unread.add(file);
    this.#parts.onRecovered(pending, bytes);
    this.#parts.onEvent({ kind: 'recovered', messages: pending });
  }

  async #readBatch(): Promise<Batch | undefined> {
    if (!this.#hasLooked) await this.#looking;
    let message = await this.#first();
    if (message === undefined) return undefined;
    const { folder } = message.file;
    const batch = this.#parts.newBatch(folder.bytes, this.#over);
    this.#over = undefined;
    const places: MessagePlace[] = [];
    while (message?.json !== undefined && message.file.folder === folder && batch.addBytes(message.json)) {
      places.push({ file: message.file, index: message.index });
      this.#read.shift();
      if (batch.isFull) break;
      message = await this.#first();
    }
    this.#batches.set(batch, places);
    return batch;
  }

  /** Returns the first message that is in no batch. */
  async #first(): Promise<LeftMessage | undefined> {
    while (!this.#clients.isClosed) {
      const [message] = this.#read;
      if (message !== undefined) return message;
      const [file] = this.#unread;
      if (file === undefined) return undefined;
      await this.#readFile(file);
    }
    return undefined;
  }

  /** Reads the messages of a file. If it cannot be read now, it stays the next one. */
  async #readFile(file: LeftFile): Promise<void> {
    try {
      this.#read = await this.#messagesOf(file, this.#reader);
      this.#unread.delete(file);
    } catch (error) {
      this.#clients.report(file.folder.path, error);
      await this.#parts.pause();
    }
  }

  /** Reads the readable messages of a file, and reports those that cannot be read or are not there any more. */
  async #messagesOf(file: LeftFile, reader: FileReader): Promise<LeftMessage[]> {
    const { pending, bytes } = file;
    const found = (await file.read(reader)).map((message): LeftMessage => ({ ...message, file }));
    this.#tellLost(file, Array(Math.max(0, pending - file.pending)).fill(MISSING), bytes - file.bytes);
    // Damage to a note brings back messages that had ended.
    const more = [Math.max(0, file.pending - pending), Math.max(0, file.bytes - bytes)] as const;
    if (more.some((count) => count > 0)) this.#parts.onRecovered(...more);
    const damaged = found.filter(({ json }) => json === undefined);
    // This copies the bytes because the reader reuses its memory.
    const remains = damaged.map(({ at, bytes: left }) => ({ path: file.path, at, bytes: Buffer.from(left) }));
    this.#tellLost(file, remains);
    // They end only after the report. Otherwise a kill in between would lose them without a report.
    for (const { index } of damaged) file.noteEnded(index);
    return found.filter(({ json }) => json !== undefined);
  }

  #tellLost({ folder }: LeftFile, remains: readonly Remains[], bytes = 0): void {
    if (remains.length > 0 || bytes > 0) this.#parts.onDamaged(folder.path, remains, bytes);
  }

  /** Runs `act` while no batch is being read. */
  #alone<T>(act: () => Promise<T>): Promise<T> {
    const acting = this.#next.then(act);
    this.#next = acting.then(nothing, nothing);
    return acting;
  }
}

const endAt = (place: MessagePlace | undefined): void => place?.file.noteEnded(place.index);

const nothing = (): undefined => undefined;

const MISSING: Remains = { bytes: Buffer.alloc(0), path: '', at: 0 };
