import { type EventferryError, QueueFullError } from '../../base/errors/errors.js';
import { LeftInJournalError } from '../../base/errors/journal-errors.js';
import { MAX_MESSAGE_BYTES } from '../../base/options/limits.js';
import { byteLength } from '../../base/platform/node.js';
import type { Batch } from './batch.js';
import type { ErrorOf } from './receipt.js';

/** The part of a journal that the queue uses. */
export interface BatchJournal {
  /** The most bytes that may wait on the disk. */
  readonly maxBytes: number;
  /** True while what is accepted is stored. */
  readonly isStoring: boolean;
  /** Says whether so many bytes more may be written. */
  hasRoomFor(bytes: number): boolean;
  /** A message came to the end of this batch. */
  noteAdded(batch: Batch): void;
  /** The messages of a batch from `from` up to, and without, `to` have ended. */
  noteEnded(batch: Batch, from: number, to: number, errorOf: ErrorOf | undefined): void;
  /** Says whether a batch may leave the memory until it is sent. */
  mayUnload(batch: Batch): boolean;
  /** One message of a batch was dropped. @param bytes its length */
  noteDropped(batch: Batch, index: number, bytes: number): void;
  /** Counts the messages of a batch, from the first, that stay for the next process. */
  heldOf(batch: Batch): number;
  /** This client could not read back so many of its messages. The caller settles them. */
  tellDamage(messages: number): EventferryError;
  /** True while there may be batches of earlier processes, which are sent first. */
  readonly hasMore: boolean;
  /** The next of them. Must not reject. */
  next(): Promise<Batch | undefined>;
}

/** The part of the queue that is on disk alone: batches that had no room in memory, and messages of earlier processes. */
export class DiskBacklog {
  readonly #journal: BatchJournal;
  /** The size of this client's own batches. */
  #unloadedBytes = 0;
  readonly #unloaded = new WeakSet<Batch>();
  /** Batches that are being sent. */
  readonly #taken = new Set<Batch>();
  /** The size of messages of earlier processes that were found and not read yet. */
  #earlierBytes = 0;
  #earlierBatches = 0;
  #waiters: (() => void)[] = [];

  constructor(journal: BatchJournal) {
    this.#journal = journal;
  }

  get bytes(): number {
    return this.#unloadedBytes + this.#earlierBytes;
  }

  /** The bytes that are being sent: they are in memory, and no message that waits can make room for them there. */
  get takenBytes(): number {
    return [...this.#taken].reduce((sum, batch) => sum + batch.bytesOf(batch.results.ended, batch.count), 0);
  }

  get earlierBytes(): number {
    return this.#earlierBytes;
  }

  /** True while callers that wait for room may go on: the other half is for those that do not wait. */
  get hasRoom(): boolean {
    return this.#journal.isStoring && this.#journal.hasRoomFor(this.#journal.maxBytes / 2);
  }

  hasRoomFor(json: string): boolean {
    // Counting is only worth it near the limit; a UTF-16 code unit is at most three bytes.
    return this.#journal.hasRoomFor(json.length * 3) || this.#journal.hasRoomFor(byteLength(json));
  }

  /** Why the journal has no room for the message that came last; undefined when it has. */
  fullError(pendingBytes: number): QueueFullError | undefined {
    const { maxBytes } = this.#journal;
    if (this.#journal.hasRoomFor(MAX_MESSAGE_BYTES)) return undefined;
    return new QueueFullError(pendingBytes, maxBytes, 'journal.maxBytes');
  }

  /** A message came to the end of this batch. */
  noteAdded(batch: Batch): void {
    this.#journal.noteAdded(batch);
  }

  /** The messages of a batch from `from` up to, and without, `to` have ended. */
  noteEnded(batch: Batch, from: number, to: number, errorOf: ErrorOf | undefined): void {
    if (batch.isOver) this.#taken.delete(batch);
    this.#journal.noteEnded(batch, from, to, errorOf);
  }

  /** One message of a batch was dropped. @param bytes its length */
  noteDropped(batch: Batch, index: number, bytes: number): void {
    if (this.#unloaded.has(batch)) this.#unloadedBytes -= bytes;
    this.#journal.noteDropped(batch, index, bytes);
  }

  /** Counts the messages of a batch, from the first, that stay for the next process. */
  heldOf(batch: Batch): number {
    return this.#journal.heldOf(batch);
  }

  /** Why a batch that is on disk alone, and does not stay there, is lost; undefined for one that is in memory. */
  errorOfGone(batch: Batch): EventferryError | undefined {
    return batch.isLoaded ? undefined : this.#journal.tellDamage(batch.count - batch.results.ended);
  }

  /** The error with which such messages end in this process. */
  errorOfHeld(why: string): LeftInJournalError {
    return new LeftInJournalError(why);
  }

  /** Says whether the batch has left the memory. */
  unload(batch: Batch): boolean {
    if (!this.#journal.mayUnload(batch)) return false;
    batch.unload();
    this.#unloaded.add(batch);
    this.#unloadedBytes += batch.bytesOf(0, batch.count);
    return true;
  }

  /** A batch is about to be sent, and comes back into memory for that. */
  noteTaken(batch: Batch): void {
    if (this.#unloaded.delete(batch)) this.#unloadedBytes -= batch.bytesOf(0, batch.count);
    if (!batch.isOver) this.#taken.add(batch);
  }

  /** Messages of earlier processes were found. */
  noteFound(bytes: number): void {
    this.#earlierBytes += bytes;
  }

  /** Messages of earlier processes were read, or cannot be. */
  noteRead(bytes: number): void {
    this.#earlierBytes -= bytes;
  }

  /** True while earlier processes may have left messages that no request carries yet. */
  get hasEarlier(): boolean {
    return this.#journal.hasMore;
  }

  /** Reads the next batch of earlier processes, and sends it. */
  async sendEarlier(send: (batch: Batch) => Promise<void>): Promise<void> {
    this.#earlierBatches++;
    const batch = await this.#journal.next();
    if (batch !== undefined) {
      this.noteRead(batch.bytesOf(0, batch.count));
      this.noteTaken(batch);
      await send(batch);
    }
    this.#earlierBatches--;
    this.releaseIfSent();
  }

  /** Resolves when all messages of earlier processes have ended; undefined when they have. */
  earlierSent(): Promise<void> | undefined {
    return this.#isEarlierSent ? undefined : new Promise((resolve) => this.#waiters.push(resolve));
  }

  /**
   * Ends every wait for messages of earlier processes, when all have ended. The journal may find, while another batch is sent, that
   * there are none: then none is read, and no other call would end the wait.
   */
  releaseIfSent(): void {
    if (this.#isEarlierSent) this.release();
  }

  /** Ends every wait for messages of earlier processes. */
  release(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  get #isEarlierSent(): boolean {
    return !this.hasEarlier && this.#earlierBatches === 0;
  }
}
