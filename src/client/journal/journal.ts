import * as nodeFs from 'node:fs';
import { basename } from 'node:path';
import { ClosedError } from '../../base/errors/errors.js';
import type { JournalError } from '../../base/errors/journal-errors.js';
import type { Batch } from '../queue/batch.js';
import type { ErrorOf } from '../queue/receipt.js';
import { DeadLetterWriter } from './dead-letter-writer.js';
import { answerDrop } from './drop-request.js';
import { dropDead } from './erase.js';
import { diskOf, type FileSystem } from './file-system.js';
import type { JournalDependencies, JournalParts } from './journal-dependencies.js';
import { checkFormat, noteFormat } from './journal-format.js';
import type { ResolvedJournalOptions } from './journal-options.js';
import { type IsMeant, letterFilter } from './message-filter.js';
import { OwnBatches } from './own-batches.js';
import { OwnerFolder } from './owner-folder.js';
import { Source } from './owner-note.js';
import { Recovery } from './recovery.js';
import { StoredWaiters } from './stored-waiters.js';
import { PROBLEMS, Problems } from './system-errors.js';
import { RETRY_MS, WriteLoop } from './write-loop.js';

export type OpenJournal = typeof Journal.open;

/** How often the journal looks for clients that have ended, in ms. */
const LOOK_MS = 2_000;

/** Keeps on disk the messages that a client has accepted and not delivered yet, and those that it gave up. */
export class Journal {
  readonly #options: ResolvedJournalOptions;
  readonly #parts: JournalParts;
  readonly #own: OwnBatches;
  readonly #recovery: Recovery;
  readonly #letters: DeadLetterWriter;
  readonly #writes: WriteLoop;
  readonly #waiters: StoredWaiters;
  /** True if this client's folder or files were moved or removed at the last check. */
  #isAway = false;
  #cancelLook: () => void = () => {};
  /** These settle when all work that forgets messages, and the running erasure, have ended. */
  #forgetting: Promise<unknown> = Promise.resolve();
  #erasing: Promise<unknown> = Promise.resolve();
  /** True once the client gives up its queue, so that an erasure would miss messages. */
  #isClosing = false;

  private constructor(options: ResolvedJournalOptions, dependencies: JournalDependencies, fs: FileSystem) {
    const { path, durability, adopt } = options;
    const source = new Source(dependencies.writeKey, adopt);
    const owner = new OwnerFolder(fs, path, source, (request) => answerDrop(request, dependencies.forget));
    const parts = { ...dependencies, fs, path, owner, problems: new Problems(dependencies.newError, path) };
    this.#options = options;
    this.#parts = parts;
    const isFlushed = durability === 'machine';
    this.#own = new OwnBatches(fs, owner, isFlushed);
    this.#letters = new DeadLetterWriter(parts, options);
    this.#waiters = new StoredWaiters(isFlushed ? () => this.#own.flush() : undefined, (error) =>
      this.#writes.fail(error),
    );
    this.#writes = new WriteLoop(
      parts,
      () => this.#write(),
      () => this.#noteWritten(),
    );
    this.#recovery = new Recovery({
      ...parts,
      source,
      onDamaged: (...damage) => {
        this.#letters.setAside(...damage);
        this.#writes.queue();
      },
      pause: () => this.#pause(),
    });
    checkFormat(fs, path);
    owner.openIfRoom();
    noteFormat(fs, path);
    // If the disk is full, the event `failing` comes at the end of this turn, when the program can have a listener.
    this.#writes.queue();
    void this.#look();
  }

  /** @throws JournalError */
  static open(options: ResolvedJournalOptions, dependencies: JournalDependencies, fs: FileSystem = nodeFs): Journal {
    try {
      return new Journal(options, dependencies, diskOf(fs, options.path));
    } catch (error) {
      throw new Problems(dependencies.newError, options.path).of(error);
    }
  }

  get maxBytes(): number {
    return this.#options.maxBytes;
  }

  /** True while the journal can store accepted messages. */
  get isStoring(): boolean {
    return !this.#writes.isFailing;
  }

  /** Tells whether this number of bytes may be added without exceeding `maxBytes`. */
  hasRoomFor(bytes: number): boolean {
    return this.#own.waitingBytes + bytes <= this.#options.maxBytes;
  }

  /** Notes that a message was added to a batch. The journal writes all new messages at the end of this turn of the event loop. */
  noteAdded(batch: Batch): void {
    if (batch.count === 1) batch.results.storedOf = (index) => this.#stored(batch, index);
    this.#own.noteAdded(batch);
    this.#writes.queue();
  }

  /** Notes that the messages of a batch from `from` to before `to` have ended. */
  noteEnded(batch: Batch, from: number, to: number, errorOf: ErrorOf | undefined): void {
    if (errorOf !== undefined) this.#letters.bury(batch, from, to, errorOf);
    const endLater = errorOf === undefined ? undefined : this.#letters.endLater;
    this.#own.noteEnded(batch, from, to, endLater);
    this.#recovery.noteEnded(batch, from, to, endLater);
    this.#waiters.noteEnded();
    // A receipt that the program keeps must not hold the bytes of the batch in memory.
    const { results } = batch;
    if (batch.isOver) results.storedOf = (index) => results.of(index);
    if (batch.isOver && errorOf === undefined) this.#writes.queueLater();
    else this.#writes.queue();
  }

  /** Notes that one message of a batch was dropped. @param bytes its length */
  noteDropped(batch: Batch, index: number, bytes: number): void {
    this.#own.noteDropped(batch, index, bytes);
    this.#recovery.noteDropped(batch, index);
    this.#waiters.noteEnded();
    this.#writes.queue();
  }

  /** Returns how many messages at the start of a batch stay for the next process. */
  heldOf(batch: Batch): number {
    return this.#recovery.has(batch) ? batch.count : this.#own.writtenOf(batch);
  }

  /** Tells whether the client may drop a batch from memory and read it back later. */
  mayUnload(batch: Batch): boolean {
    this.#writes.write();
    return this.isStoring && this.#own.holds(batch);
  }

  /** Reads the messages of a batch that is not in memory, as JSON. A message that cannot be read is undefined. */
  async read(batch: Batch): Promise<(Buffer | undefined)[]> {
    while (!batch.isOver) {
      try {
        return await this.#own.read(batch);
      } catch {
        // The system lacks something for now, such as file handles.
        await this.#pause();
      }
    }
    return [];
  }

  /** Reports the number of this client's messages that cannot be read back. The caller counts them as lost. */
  tellDamage(messages: number): JournalError {
    const error = this.#parts.problems.damage(this.#parts.owner.path);
    this.#parts.onEvent({ kind: 'unreadable', messages, error });
    return error;
  }

  /** True while there may be messages of earlier clients. The client sends these first. */
  get hasMore(): boolean {
    return this.#recovery.hasMore;
  }

  /** Returns the next batch of messages of earlier clients. */
  next(): Promise<Batch | undefined> {
    return this.#recovery.next();
  }

  /** Hands everything to the operating system now. Also called right before the process ends. */
  writeNow(): void {
    this.#writes.writeNow();
  }

  /** @throws the system's error, or JournalProblem when no other client would find what is written */
  #write(): void {
    if (this.#isAway && !this.#isThere()) throw PROBLEMS.away(this.#parts.owner.path);
    this.#letters.write();
    // This needs no room on the disk, and may make some.
    this.#recovery.write();
    if (!this.#parts.owner.isOpen) this.#parts.owner.open();
    this.#own.write();
  }

  /**
   * Resolves `stored` of waiting receipts, unless the files were moved or removed, because no other client would then find them.
   */
  #noteWritten(): void {
    this.#isAway = !this.#waiters.isEmpty && this.#own.isDeleted;
    if (this.#isAway) this.#writes.fail(PROBLEMS.away(this.#parts.owner.path));
    else this.#waiters.noteWritten();
  }

  /** Resolves when the journal has taken over everything that it found. */
  settled(): Promise<void> {
    return this.#recovery.look();
  }

  /** Drops messages of earlier clients that are in no batch yet. @throws JournalError */
  dropEarlier(isMeant: (json: Buffer) => boolean): Promise<{ messages: number; bytes: number }> {
    return this.#orJournalError(this.#recovery.drop(isMeant));
  }

  /** Erases ended messages and the chosen dead letters. Returns the number of letters. @throws ClosedError, JournalError */
  async erase(isMeant: IsMeant, erasesDamage: boolean): Promise<number> {
    if (this.#isClosing) throw new ClosedError();
    const erasing = this.#orJournalError(this.#erase(isMeant, erasesDamage));
    this.#erasing = erasing.catch(() => {});
    return erasing;
  }

  async #erase(isMeant: IsMeant, erasesDamage: boolean): Promise<number> {
    const { fs, path, owner } = this.#parts;
    this.writeNow();
    const unwritten = this.#letters.drop(isMeant, erasesDamage);
    // A message that waits for its dead letter has not ended, so it would not be erased. From here its letter is only in memory.
    this.#letters.endAll();
    await this.#own.erase(erasesDamage);
    await this.#recovery.erase(erasesDamage);
    const options = { isMeant: letterFilter(isMeant), erasesDamage, own: basename(owner.path) };
    const { messages } = await dropDead(fs, path, options);
    this.writeNow();
    return unwritten + messages;
  }

  /** Registers work that forgets messages, so that `forgotten` waits for its end. */
  noteForgetting(work: Promise<unknown>): void {
    this.#forgetting = Promise.allSettled([this.#forgetting, work]);
  }

  /** Resolves when all registered work has ended. */
  async forgotten(): Promise<void> {
    await this.#forgetting;
  }

  async close(): Promise<void> {
    this.#cancelLook();
    this.writeNow();
    this.#isClosing = true;
    await this.#waiters.idle();
    await this.#erasing;
    this.#writes.close();
    this.#waiters.noteEnded();
    this.#own.close();
    this.#recovery.close();
    await this.#parts.owner.release();
  }

  async #orJournalError<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw this.#parts.problems.of(error);
    }
  }

  #stored(batch: Batch, index: number): Promise<void> {
    this.#writes.queue();
    return this.#waiters.wait(batch, index);
  }

  /** Checks whether other clients can see that this client lives and find what it writes. */
  #isThere(): boolean {
    this.#isAway = this.#parts.owner.isOpen && (!this.#parts.owner.keep() || this.#own.isDeleted);
    return !this.#isAway;
  }

  async #look(): Promise<void> {
    if (this.#isThere()) await this.#recovery.look();
    else this.#writes.fail(PROBLEMS.away(this.#parts.owner.path));
    if (this.#writes.isClosed) return;
    this.#cancelLook = this.#parts.clock.after(LOOK_MS, () => void this.#look());
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#parts.clock.after(RETRY_MS, resolve));
  }
}
