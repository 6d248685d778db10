import { existsSync } from 'node:fs';
import type { Batch } from '../queue/batch.js';
import type { OwnerFolder } from './owner-folder.js';
import type { StoredMessage } from './record.js';
import { RecoveredFolder } from './recovered-folder.js';

export interface RecoveryOptions {
  readonly owner: OwnerFolder;
  /**
   * @param expectedBytes how long its messages will probably be together
   * @param over a batch whose memory is free
   */
  newBatch(expectedBytes: number, over: Batch | undefined): Batch;
  /** This client has taken over so many messages. */
  onRecovered(messages: number, bytes: number): void;
  /** Messages cannot be read, and are lost. @param remains the rest of each */
  onDamaged(folder: string, remains: readonly Buffer[]): void;
  /** A folder cannot be read. It stays. */
  onError(folder: string, error: unknown): void;
}

interface Entry {
  readonly folder: RecoveredFolder;
  readonly message: StoredMessage;
}

interface Source {
  readonly folder: RecoveredFolder;
  readonly messages: AsyncGenerator<StoredMessage, void>;
}

/** The messages of clients that have ended, as batches in the order in which they were accepted. */
export class Recovery {
  readonly #options: RecoveryOptions;
  readonly #sources: Source[] = [];
  /** A message that was read, and was too long for the batch before. */
  #held: Entry | undefined;
  /** The rests of messages that cannot be read, since the last one that can. */
  #remains: Buffer[] = [];
  readonly #batches = new Map<Batch, { readonly folder: RecoveredFolder; readonly sequences: readonly number[] }>();
  /** The batch that was sent last: the next one gets its memory, or each would leave as much to the garbage collector. */
  #over: Batch | undefined;
  readonly #open = new Set<RecoveredFolder>();
  /** Folders that this version cannot read. */
  readonly #refused = new Set<string>();
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
    recovered.folder.noteEnded(recovered.sequences.slice(from, to));
    if (!batch.isOver) return;
    this.#batches.delete(batch);
    this.#over = batch;
  }

  /** @throws the system's error */
  write(): void {
    for (const folder of this.#open) {
      folder.write();
      if (folder.pending === 0) this.#open.delete(folder);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const folder of this.#open) folder.close();
  }

  async #adopt(): Promise<void> {
    for (const path of await this.#adoptable()) {
      try {
        this.#add(await RecoveredFolder.open(path));
      } catch (error) {
        this.#options.onError(path, error);
      }
    }
  }

  async #adoptable(): Promise<string[]> {
    const { owner } = this.#options;
    try {
      return await owner.adopt((folder) => this.#mayRead(folder));
    } catch (error) {
      this.#refuse(owner.path, error);
      return [];
    }
  }

  /** Whether this version can read a folder. Reports one that it cannot read once. */
  async #mayRead(path: string): Promise<boolean> {
    if (this.#refused.has(path)) return false;
    try {
      await RecoveredFolder.check(path);
      return true;
    } catch (error) {
      // Another client may have taken it over, or removed it as nothing was left.
      if (existsSync(path)) this.#refuse(path, error);
      return false;
    }
  }

  #refuse(path: string, error: unknown): void {
    if (this.#refused.has(path)) return;
    this.#refused.add(path);
    this.#options.onError(path, error);
  }

  #add(folder: RecoveredFolder): void {
    if (folder.pending === 0) {
      folder.remove();
      return;
    }
    this.#open.add(folder);
    this.#sources.push({ folder, messages: folder.messages() });
    this.#options.onRecovered(folder.pending, folder.bytes);
  }

  /** The next message that can be read. */
  async #read(): Promise<Entry | undefined> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) return held;
    for (let source = this.#sources[0]; source !== undefined; source = this.#sources[0]) {
      const step = await this.#step(source);
      if (step.done !== true && step.value.json === undefined) {
        this.#giveUp(source.folder, step.value);
        continue;
      }
      this.#tellDamage(source.folder);
      if (step.done !== true) return { folder: source.folder, message: step.value };
      this.#sources.shift();
    }
    return undefined;
  }

  /** A folder that cannot be read any further stays as it is, for the next client. */
  async #step({ folder, messages }: Source): Promise<IteratorResult<StoredMessage, void>> {
    try {
      return await messages.next();
    } catch (error) {
      this.#options.onError(folder.path, error);
      return { done: true, value: undefined };
    }
  }

  #giveUp(folder: RecoveredFolder, { sequence, bytes }: StoredMessage): void {
    folder.noteEnded([sequence]);
    // A copy: the reader reuses its bytes.
    this.#remains.push(Buffer.from(bytes));
  }

  #tellDamage({ path }: RecoveredFolder): void {
    if (this.#remains.length > 0) this.#options.onDamaged(path, this.#remains);
    this.#remains = [];
  }
}
