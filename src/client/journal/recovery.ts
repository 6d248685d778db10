import type { Batch } from '../queue/batch.js';
import type { JournalDependencies } from './journal-dependencies.js';
import { LeftFolders, type LeftFoldersOptions } from './left-folders.js';
import type { RecoveredFolder } from './recovered-folder.js';
import type { LeftMessage } from './segment-reader.js';
import type { EndLater } from './sequence-set.js';

/** Bytes that no message can be read from. */
export interface Remains {
  readonly bytes: Buffer;
  /** The segment that they are in, and where; empty for a segment that is missing. */
  readonly path: string;
  readonly at: number;
}

export interface RecoveryOptions
  extends Omit<LeftFoldersOptions, 'isClosed' | 'onFound'>,
    Pick<JournalDependencies, 'newBatch'> {
  /** This client has taken over so many messages. */
  onRecovered(messages: number, bytes: number): void;
  /** Messages cannot be read, and are lost. @param remains one for each @param bytes that were counted as theirs */
  onDamaged(folder: string, remains: readonly Remains[], bytes: number): void;
  /** Resolves when it is time to try a folder again that could not be read. */
  pause(): Promise<void>;
}

interface Entry {
  readonly folder: RecoveredFolder;
  readonly message: LeftMessage;
}

interface Source {
  readonly folder: RecoveredFolder;
  messages: AsyncGenerator<LeftMessage, void>;
  /** The number of its messages that were not read yet, and the lowest sequence number that the next one can have. */
  unread: number;
  next: number;
  /** The size of the messages that were counted and not yet read. */
  unreadBytes: number;
}

/** The messages of clients that have ended, as batches in the order in which they were accepted. */
export class Recovery {
  readonly #options: RecoveryOptions;
  readonly #sources: Source[] = [];
  /** A message that was read, and was too long for the batch before. */
  #held: Entry | undefined;
  /** The rest of unreadable messages since the last one that could be read. */
  #remains: Remains[] = [];
  readonly #batches = new Map<Batch, { readonly folder: RecoveredFolder; readonly sequences: readonly number[] }>();
  /** The batch that was sent last: the next one gets its memory, or each would leave as much to the garbage collector. */
  #over: Batch | undefined;
  readonly #folders: LeftFolders;
  #looking: Promise<void> | undefined;
  #hasLooked = false;
  #isClosed = false;
  #reading: Promise<Batch | undefined> = Promise.resolve(undefined);

  constructor(options: RecoveryOptions) {
    this.#options = options;
    this.#folders = new LeftFolders({
      ...options,
      isClosed: () => this.#isClosed,
      onFound: (folder) => this.#add(folder),
    });
  }

  /** True while there may be another batch. */
  get hasMore(): boolean {
    return !this.#isClosed && (!this.#hasLooked || this.#sources.length > 0 || this.#held !== undefined);
  }

  /** Takes over the folders of dead owners. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#folders.look().finally(() => {
      this.#looking = undefined;
      this.#hasLooked = true;
    });
    return this.#looking;
  }

  /** The next batch, of one folder; undefined when there is no more. */
  next(): Promise<Batch | undefined> {
    // Two that read at once would get each other's messages.
    this.#reading = this.#reading.then(() => this.#next());
    return this.#reading;
  }

  async #next(): Promise<Batch | undefined> {
    if (!this.#hasLooked) await this.#looking;
    const first = this.#isClosed ? undefined : await this.#read();
    if (first === undefined) return undefined;
    const { folder } = first;
    const batch = this.#options.newBatch(folder.bytes, this.#over);
    this.#over = undefined;
    const sequences: number[] = [];
    for (let entry: Entry | undefined = first; entry !== undefined; entry = await this.#read()) {
      const { json, sequence } = entry.message;
      if (entry.folder !== folder || json === undefined || !batch.addBytes(json)) {
        this.#held = entry;
        break;
      }
      sequences.push(sequence);
      if (batch.isFull) break;
    }
    this.#batches.set(batch, { folder, sequences });
    return batch;
  }

  has(batch: Batch): boolean {
    return this.#batches.has(batch);
  }

  /** @param endLater ends those that get dead letters, which have to be written first */
  noteEnded(batch: Batch, from: number, to: number, endLater: EndLater = (end) => end()): void {
    const recovered = this.#batches.get(batch);
    if (recovered === undefined) return;
    const kept = batch.keptOf(from, to).map((index) => recovered.sequences[index] ?? 0);
    endLater(() => recovered.folder.noteEnded(kept));
    if (!batch.isOver) return;
    this.#batches.delete(batch);
    this.#over = batch;
  }

  /** One message of a batch is not sent any more. */
  noteDropped(batch: Batch, index: number): void {
    const recovered = this.#batches.get(batch);
    recovered?.folder.noteEnded(recovered.sequences.slice(index, index + 1));
  }

  /** Drops the messages that are meant and that no batch carries yet. @throws the system's error */
  drop(isMeant: (json: Buffer) => boolean): Promise<{ messages: number; bytes: number }> {
    return this.#alone(async () => {
      await this.look();
      this.#folders.checkOpened();
      const dropped = { messages: 0, bytes: 0 };
      const drop = (folder: RecoveredFolder, { sequence }: LeftMessage, bytes: number): void => {
        folder.noteEnded([sequence]);
        dropped.messages++;
        dropped.bytes += bytes;
      };
      const held = this.#held;
      if (held?.message.json !== undefined && isMeant(held.message.json)) {
        this.#held = undefined;
        drop(held.folder, held.message, held.message.json.length);
      }
      for (const source of this.#sources) {
        for await (const message of source.folder.messages(source.next)) {
          if (message.json === undefined || !isMeant(message.json)) continue;
          drop(source.folder, message, message.json.length);
          source.unread--;
          source.unreadBytes -= message.json.length;
        }
      }
      return dropped;
    });
  }

  /** Erases all that has ended. @throws the system's error */
  erase(erasesDamage: boolean): Promise<void> {
    return this.#alone(async () => {
      for (const folder of this.#folders.opened) await folder.erase(() => false, erasesDamage);
      // Their content in memory is as it was before.
      for (const source of this.#sources) source.messages = source.folder.messages(source.next);
    });
  }

  /** Acts while no batch is read. */
  #alone<T>(act: () => Promise<T>): Promise<T> {
    const acting = this.#reading.then(act);
    this.#reading = acting.then(nothing, nothing);
    return acting;
  }

  /** @throws the system's error */
  write(): void {
    this.#folders.write();
  }

  close(): void {
    this.#isClosed = true;
  }

  #add(folder: RecoveredFolder): void {
    const { pending: unread, bytes: unreadBytes } = folder;
    this.#sources.push({ folder, messages: folder.messages(0), unread, next: 0, unreadBytes });
    this.#options.onRecovered(unread, unreadBytes);
  }

  /** The next message that can be read. */
  async #read(): Promise<Entry | undefined> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) return held;
    for (let source = this.#sources[0]; source !== undefined && !this.#isClosed; source = this.#sources[0]) {
      const { folder } = source;
      const message = await this.#step(source);
      if (message?.json !== undefined) {
        this.#tellDamage(folder, 0);
        return { folder, message };
      }
      if (message !== undefined) {
        folder.noteEnded([message.sequence]);
        // A copy: the reader reuses its bytes.
        this.#remains.push({ ...message, bytes: Buffer.from(message.bytes) });
        continue;
      }
      // They were there when they were counted.
      folder.endRest(source.unread);
      for (; source.unread > 0; source.unread--) this.#remains.push(MISSING);
      this.#sources.shift();
      this.#tellDamage(folder, source.unreadBytes);
    }
    return undefined;
  }

  /** The next message of a folder; undefined when there is no more. Waits while it cannot be read. */
  async #step(source: Source): Promise<LeftMessage | undefined> {
    while (!this.#isClosed) {
      try {
        const step = await source.messages.next();
        if (step.done === true) return undefined;
        source.unread--;
        source.next = step.value.sequence + 1;
        source.unreadBytes -= step.value.json?.length ?? 0;
        return step.value;
      } catch (error) {
        this.#folders.report(source.folder.path, error);
        await this.#options.pause();
        source.messages = source.folder.messages(source.next);
      }
    }
    [source.unread, source.unreadBytes] = [0, 0];
    return undefined;
  }

  #tellDamage({ path }: RecoveredFolder, bytes: number): void {
    if (this.#remains.length > 0 || bytes > 0) this.#options.onDamaged(path, this.#remains, bytes);
    this.#remains = [];
  }
}

const nothing = (): undefined => undefined;

const MISSING: Remains = { bytes: Buffer.alloc(0), path: '', at: 0 };
