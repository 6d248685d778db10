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
  /** True while accepted messages are being stored. */
  readonly isStoring: boolean;
  /** Returns true if `bytes` more may be written. */
  hasRoomFor(bytes: number): boolean;
  /** Called when a message was appended to this batch. */
  noteAdded(batch: Batch): void;
  /** Called when the messages of a batch from `from` up to but not including `to` have ended. */
  noteEnded(batch: Batch, from: number, to: number, errorOf: ErrorOf | undefined): void;
  /** Returns true if a batch may leave the memory until it is sent. */
  mayUnload(batch: Batch): boolean;
  /** Called when one message of a batch was dropped. @param bytes its length */
  noteDropped(batch: Batch, index: number, bytes: number): void;
  /** Returns how many messages of a batch, counted from the first, stay for the next process. */
  heldOf(batch: Batch): number;
  /** Reports that this client could not read back some of its messages, and returns the error for them. The caller ends them. */
  tellDamage(messages: number): EventferryError;
  /** True while there may be batches of earlier processes. They are sent first. */
  readonly hasMore: boolean;
  /** Returns the next batch of an earlier process. Must not reject. */
  next(): Promise<Batch | undefined>;
}

/** The part of the queue that is only on disk: batches that did not fit in memory, and messages of earlier processes. */
export class DiskBacklog {
  readonly journal: BatchJournal;
  /** The size in bytes of messages of earlier processes that were found but not read yet. */
  earlierBytes = 0;
  /** The size of this client's own batches on disk, in bytes. */
  #unloadedBytes = 0;
  /** Batches that are being sent. */
  readonly #taken = new Set<Batch>();
  #earlierBatches = 0;
  #waiters: (() => void)[] = [];

  constructor(journal: BatchJournal) {
    this.journal = journal;
  }

  get bytes(): number {
    return this.#unloadedBytes + this.earlierBytes;
  }

  /** The size in bytes of the batches that are being sent. They are in memory, and no waiting message can free their room. */
  get takenBytes(): number {
    return [...this.#taken].reduce((sum, batch) => sum + batch.bytesOf(batch.results.ended, batch.count), 0);
  }

  /** True while callers that wait for room may continue. They fill only half of the journal; the rest is for other callers. */
  get hasRoom(): boolean {
    return this.journal.isStoring && this.journal.hasRoomFor(this.journal.maxBytes / 2);
  }

  hasRoomFor(json: string): boolean {
    // Counting is only worthwhile near the limit; a UTF-16 code unit takes at most three bytes.
    return this.journal.hasRoomFor(json.length * 3) || this.journal.hasRoomFor(byteLength(json));
  }

  /** Returns the error for a message that does not fit in the journal; undefined if it fits. */
  fullError(pendingBytes: number): QueueFullError | undefined {
    const { maxBytes } = this.journal;
    if (this.journal.hasRoomFor(MAX_MESSAGE_BYTES)) return undefined;
    return new QueueFullError(pendingBytes, maxBytes, 'journal.maxBytes');
  }

  /** Records that the messages of a batch from `from` up to but not including `to` have ended. */
  noteEnded(batch: Batch, from: number, to: number, errorOf: ErrorOf | undefined): void {
    if (batch.isOver) this.#taken.delete(batch);
    this.journal.noteEnded(batch, from, to, errorOf);
  }

  /** Records that one message of a batch was dropped. @param bytes its length */
  noteDropped(batch: Batch, index: number, bytes: number): void {
    if (!batch.isLoaded && !this.#taken.has(batch)) this.#unloadedBytes -= bytes;
    this.journal.noteDropped(batch, index, bytes);
  }

  /** Returns the error for the loss of a batch that is only on disk and cannot stay there; undefined for a batch in memory. */
  errorOfGone(batch: Batch): EventferryError | undefined {
    return batch.isLoaded ? undefined : this.journal.tellDamage(batch.count - batch.results.ended);
  }

  /** Returns the error with which messages that stay in the journal end in this process. */
  errorOfHeld(why: string): LeftInJournalError {
    return new LeftInJournalError(why);
  }

  /** Moves a batch out of memory if the journal allows that, and returns whether it did. */
  unload(batch: Batch): boolean {
    if (!this.journal.mayUnload(batch)) return false;
    batch.unload();
    this.#unloadedBytes += batch.bytesOf(0, batch.count);
    return true;
  }

  /** Called when a batch is about to be sent, for which it returns to memory. */
  noteTaken(batch: Batch): void {
    if (!batch.isLoaded) this.#unloadedBytes -= batch.bytesOf(0, batch.count);
    if (!batch.isOver) this.#taken.add(batch);
  }

  /** Reads the next batch of earlier processes and sends it. */
  async sendEarlier(send: (batch: Batch) => Promise<void>): Promise<void> {
    this.#earlierBatches++;
    const batch = await this.journal.next();
    if (batch !== undefined) {
      this.earlierBytes -= batch.bytesOf(0, batch.count);
      this.noteTaken(batch);
      await send(batch);
    }
    this.#earlierBatches--;
    this.releaseIfSent();
  }

  /** Resolves when all messages of earlier processes have ended; undefined if they already have. */
  earlierSent(): Promise<void> | undefined {
    return this.#isEarlierSent ? undefined : new Promise((resolve) => this.#waiters.push(resolve));
  }

  /**
   * Ends every wait for messages of earlier processes if all have ended. The journal may discover that there are none while
   * another batch is sent; then none is read, and no other call would end the wait.
   */
  releaseIfSent(): void {
    if (this.#isEarlierSent) this.release();
  }

  /** Ends every wait for messages of earlier processes. */
  release(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  get #isEarlierSent(): boolean {
    return !this.journal.hasMore && this.#earlierBatches === 0;
  }
}
