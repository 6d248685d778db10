import type { Batch } from '../queue/batch.js';
import { damagedNoteIn } from './ended-file.js';
import type { FileSystem } from './file-system.js';
import { foldersIn, type OwnerFolder } from './owner-folder.js';
import { RecoveredFolder } from './recovered-folder.js';
import { type LeftMessage, segmentsIn } from './segment-reader.js';
import { DamagedNoteProblem, isPassing, NewerVersionProblem } from './system-errors.js';

/** Bytes that no message can be read from. */
export interface Remains {
  readonly bytes: Buffer;
  /** The segment that they are in, and where; empty for a segment that is missing. */
  readonly path: string;
  readonly at: number;
}

export interface RecoveryOptions {
  readonly fs: FileSystem;
  readonly owner: OwnerFolder;
  /**
   * @param expectedBytes how long its messages will probably be together
   * @param over a batch whose memory is free
   */
  newBatch(expectedBytes: number, over: Batch | undefined): Batch;
  /** This client has taken over so many messages. */
  onRecovered(messages: number, bytes: number): void;
  /** Messages cannot be read, and are lost. @param remains one for each @param bytes that were counted as theirs */
  onDamaged(folder: string, remains: readonly Remains[], bytes: number): void;
  /** Dead clients of another source have left so many messages, which stay. Told once of each folder. */
  onForeign(messages: number): void;
  /** A folder cannot be read. It stays, and is tried again. */
  onError(folder: string, error: unknown): void;
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
  /** How many of its messages were not read yet, and the lowest sequence number that the next one can have. */
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
  /** What is left of unreadable messages since the last one that could be read. */
  #remains: Remains[] = [];
  readonly #batches = new Map<Batch, { readonly folder: RecoveredFolder; readonly sequences: readonly number[] }>();
  /** The batch that was sent last: the next one gets its memory, or each would leave as much to the garbage collector. */
  #over: Batch | undefined;
  /** Folders that are this client's, by their paths; undefined for one that was not opened yet. */
  readonly #open = new Map<string, RecoveredFolder | undefined>();
  /** Folders whose trouble was reported. */
  readonly #reported = new Set<string>();
  readonly #newer = new Set<string>();
  readonly #foreign = new Set<string>();
  #looking: Promise<void> | undefined;
  #hasLooked = false;
  #isClosed = false;
  #reading: Promise<Batch | undefined> = Promise.resolve(undefined);

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /** Whether there may be another batch. */
  get hasMore(): boolean {
    return !this.#isClosed && (!this.#hasLooked || this.#sources.length > 0 || this.#held !== undefined);
  }

  /** Whether all that it has taken over has ended, and nothing of it is left on the disk. */
  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /** Takes over the folders of dead owners. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#adopt().finally(() => {
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
    if (this.#isClosed) return undefined;
    const first = await this.#read();
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

  noteEnded(batch: Batch, from: number, to: number): void {
    const recovered = this.#batches.get(batch);
    if (recovered === undefined) return;
    const kept = batch.keptOf(from, to).map((index) => recovered.sequences[index] ?? 0);
    recovered.folder.noteEnded(kept);
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
    return this.#alone(() => this.#drop(isMeant));
  }

  /** Erases all that has ended. @throws the system's error */
  erase(erasesDamage: boolean): Promise<void> {
    return this.#alone(async () => {
      for (const folder of this.#open.values()) await folder?.erase(() => false, erasesDamage);
      // What they have in memory is as it was before.
      for (const source of this.#sources) source.messages = source.folder.messages(source.next);
    });
  }

  /** Acts while no batch is read. */
  #alone<T>(act: () => Promise<T>): Promise<T> {
    const acting = this.#reading.then(act);
    this.#reading = acting.then(
      () => undefined,
      () => undefined,
    );
    return acting;
  }

  async #drop(isMeant: (json: Buffer) => boolean) {
    await this.#openAll();
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
  }

  /** @throws the system's error */
  write(): void {
    for (const [path, folder] of this.#open) {
      folder?.write();
      if (folder?.pending === 0) this.#open.delete(path);
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  async #adopt(): Promise<void> {
    for (const path of await this.#adoptable()) if (!this.#open.has(path)) this.#open.set(path, undefined);
    for (const [path, folder] of this.#open) {
      if (this.#isClosed) return;
      try {
        if (folder === undefined) await this.#openFolder(path);
      } catch (error) {
        this.#report(path, error);
      }
    }
  }

  /** Takes over what is there, and opens all of it: a search must miss nothing. @throws Error when a folder cannot be opened now */
  async #openAll(): Promise<void> {
    await this.look();
    const [unread] = [...this.#open].find(([, folder]) => folder === undefined) ?? [];
    if (unread !== undefined) throw new Error(`${unread}, which an earlier client left, cannot be read now. Try again`);
  }

  /** @throws the system's error */
  async #openFolder(path: string): Promise<void> {
    const { fs } = this.#options;
    const damagedNote = damagedNoteIn(fs, path);
    this.#add(await RecoveredFolder.open(fs, path));
    if (damagedNote !== undefined) this.#report(path, new DamagedNoteProblem(damagedNote));
  }

  async #adoptable(): Promise<string[]> {
    const { owner } = this.#options;
    const foreign: string[] = [];
    try {
      const adopted = await owner.adopt((folder) => this.#mayRead(folder), {
        isKnown: (folder) => this.#open.has(folder),
        onForeign: (folder) => foreign.push(folder),
        onError: (folder, error) => this.#report(folder, error),
      });
      await this.#tellForeign(foreign.filter((folder) => !this.#foreign.has(folder)));
      return adopted;
    } catch (error) {
      this.#report(owner.path, error);
      return [];
    }
  }

  async #tellForeign(owners: readonly string[]): Promise<void> {
    let messages = 0;
    for (const owner of owners) {
      const pending = await this.#pendingIn(owner);
      if (pending === undefined) continue;
      this.#foreign.add(owner);
      messages += pending;
    }
    if (messages > 0) this.#options.onForeign(messages);
  }

  /**
   * How many messages wait in the folders of an owner; none in one that another client has just taken over, or that is of a newer
   * version. Undefined when that cannot be told now.
   */
  async #pendingIn(owner: string): Promise<number | undefined> {
    let pending = 0;
    try {
      for (const folder of foldersIn(this.#options.fs, owner)) {
        pending += (await RecoveredFolder.open(this.#options.fs, folder)).pending;
      }
    } catch (error) {
      if (isPassing(error)) return undefined;
    }
    return pending;
  }

  /** Whether this version can read a folder, as far as it can be told now. */
  async #mayRead(path: string): Promise<boolean> {
    if (this.#newer.has(path)) return false;
    try {
      await segmentsIn(this.#options.fs, path);
      return true;
    } catch (error) {
      if (error instanceof NewerVersionProblem) this.#newer.add(path);
      // Another client may have taken it over, or removed it as nothing was left.
      if (this.#options.fs.existsSync(path)) this.#report(path, error);
      return false;
    }
  }

  /** Tells of a folder that cannot be read, once. What passes by itself is not worth a word. */
  #report(path: string, error: unknown): void {
    if (this.#reported.has(path) || isPassing(error)) return;
    this.#reported.add(path);
    this.#options.onError(path, error);
  }

  #add(folder: RecoveredFolder): void {
    if (folder.pending === 0) {
      folder.remove();
      this.#open.delete(folder.path);
      return;
    }
    this.#open.set(folder.path, folder);
    this.#sources.push({
      folder,
      messages: folder.messages(0),
      unread: folder.pending,
      next: 0,
      unreadBytes: folder.bytes,
    });
    this.#options.onRecovered(folder.pending, folder.bytes);
  }

  /** The next message that can be read. */
  async #read(): Promise<Entry | undefined> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) return held;
    for (let source = this.#sources[0]; source !== undefined && !this.#isClosed; source = this.#sources[0]) {
      const { folder } = source;
      const message = await this.#step(source);
      if (message !== undefined && message.json === undefined) {
        this.#giveUp(folder, message);
        continue;
      }
      if (message !== undefined) {
        this.#tellDamage(folder, 0);
        return { folder, message };
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
        this.#report(source.folder.path, error);
        await this.#options.pause();
        source.messages = source.folder.messages(source.next);
      }
    }
    [source.unread, source.unreadBytes] = [0, 0];
    return undefined;
  }

  #giveUp(folder: RecoveredFolder, { sequence, bytes, path, at }: LeftMessage): void {
    folder.noteEnded([sequence]);
    // A copy: the reader reuses its bytes.
    this.#remains.push({ bytes: Buffer.from(bytes), path, at });
  }

  #tellDamage({ path }: RecoveredFolder, bytes: number): void {
    if (this.#remains.length > 0 || bytes > 0) this.#options.onDamaged(path, this.#remains, bytes);
    this.#remains = [];
  }
}

const MISSING: Remains = { bytes: Buffer.alloc(0), path: '', at: 0 };
