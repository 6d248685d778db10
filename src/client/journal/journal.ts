import { basename } from 'node:path';
import type { Clock } from '../../clock.js';
import type { JournalError, JournalErrorCode } from '../../journal-errors.js';
import type { Batch } from '../queue/batch.js';
import type { ErrorOf, Results } from '../queue/results.js';
import { DeadLetters } from './dead-letters.js';
import type { JournalEvent } from './event.js';
import type { ResolvedJournalOptions } from './options.js';
import { OwnLog } from './own-log.js';
import { makeFolder, OwnerFolder } from './owner-folder.js';
import { Recovery } from './recovery.js';
import { StoredWaiters } from './stored-waiters.js';
import { describeProblem, RemovedProblem } from './system-errors.js';

export interface JournalDependencies {
  readonly clock: Clock;
  /**
   * @param expectedBytes how long its messages will probably be together
   * @param over a batch whose memory is free
   */
  newBatch(expectedBytes: number, over: Batch | undefined): Batch;
  onEvent(event: JournalEvent): void;
  /** This client has taken over so many messages of clients that have ended, and has batches of them to send. */
  onRecovered(messages: number, bytes: number): void;
  /** So many of those cannot be read, and are lost. */
  onUnreadable(messages: number, bytes: number, code: JournalErrorCode): void;
  /** Makes an error of the client's class: the journal is a separate file, which may be loaded beside another copy of the classes. */
  newError(code: JournalErrorCode, path: string, message: string, options?: ErrorOptions): JournalError;
}

/** Opens a journal. @throws JournalError */
export type OpenJournal = (options: ResolvedJournalOptions, dependencies: JournalDependencies) => Journal;

/** How often the journal looks for clients that have ended, in ms. */
const LOOK_MS = 2_000;

/** How often the journal tries to write again after a failure, in ms. */
const RETRY_MS = 1_000;

/** The copy on disk of the messages that a client has accepted and not delivered yet, and of those that it gave up. */
export class Journal {
  readonly #options: ResolvedJournalOptions;
  readonly #dependencies: JournalDependencies;
  readonly #owner: OwnerFolder;
  readonly #log: OwnLog;
  readonly #recovery: Recovery;
  readonly #deadLetters: DeadLetters;
  readonly #waiters: StoredWaiters;
  #isWriteQueued = false;
  #isFailing = false;
  /** Whether the client's folder is gone. No other client would find later writes. */
  #isRemoved = false;
  /** Cancels the next attempt after a failure. */
  #cancelRetry: (() => void) | undefined;
  #cancelLook: () => void = () => {};
  #isClosed = false;

  private constructor(options: ResolvedJournalOptions, dependencies: JournalDependencies) {
    const { path } = options;
    this.#options = options;
    this.#dependencies = dependencies;
    makeFolder(path);
    this.#owner = OwnerFolder.create(path);
    this.#log = this.#openLog();
    this.#deadLetters = new DeadLetters(path, basename(this.#owner.path), options);
    const flush = options.durability === 'machine' ? () => this.#log.flush() : undefined;
    this.#waiters = new StoredWaiters(flush, (error) => this.#fail(error));
    this.#recovery = new Recovery({
      owner: this.#owner,
      newBatch: dependencies.newBatch,
      onRecovered: (messages, bytes) => {
        dependencies.onRecovered(messages, bytes);
        dependencies.onEvent({ kind: 'recovered', messages });
      },
      onDamaged: (folder, remains) => this.#setAside(folder, remains),
      onError: (folder, error) =>
        dependencies.onEvent({ kind: 'damaged', messages: 0, error: this.#errorOf(folder, error) }),
    });
    void this.#look();
  }

  /** @throws JournalError */
  static open(options: ResolvedJournalOptions, dependencies: JournalDependencies): Journal {
    try {
      return new Journal(options, dependencies);
    } catch (error) {
      throw errorOf(dependencies, options.path, error);
    }
  }

  get maxBytes(): number {
    return this.#options.maxBytes;
  }

  /** Whether so many bytes more may be written. */
  hasRoomFor(bytes: number): boolean {
    return this.#log.bytes + bytes <= this.#options.maxBytes;
  }

  /** A message came to the end of this batch. The journal writes it at the end of this turn of the event loop, with all others. */
  noteAdded(batch: Batch): void {
    if (batch.count === 1) batch.results.storedOf = (index) => this.#stored(batch, index);
    this.#log.noteAdded(batch);
    this.#queueWrite();
  }

  /** The messages of a batch from `from` up to, and without, `to` have ended. */
  noteEnded(batch: Batch, from: number, to: number, errorOf: ErrorOf | undefined): void {
    if (errorOf !== undefined) this.#bury(batch, from, to, errorOf);
    this.#log.noteEnded(batch, from, to);
    this.#recovery.noteEnded(batch, from, to);
    this.#waiters.noteEnded();
    // A receipt that is kept must not keep the bytes of its batch.
    if (batch.isOver) batch.results.storedOf = storedOfEnded(batch.results);
    this.#queueWrite();
  }

  /** How many messages of a batch, from the first, stay for the next process. */
  heldOf(batch: Batch): number {
    if (this.#isRemoved) return 0;
    return this.#recovery.has(batch) ? batch.count : this.#log.writtenOf(batch);
  }

  /** Whether a batch may leave the memory until it is sent. */
  mayUnload(batch: Batch): boolean {
    this.#write();
    return !this.#isFailing && this.#log.holds(batch);
  }

  /** The messages of a batch that left the memory, as JSON; undefined for one that cannot be read. */
  read(batch: Batch): Promise<(Buffer | undefined)[]> {
    return this.#log.read(batch);
  }

  /** This client could not read back so many of its messages. The caller settles them. */
  tellDamage(messages: number): JournalError {
    const error = this.#damage(this.#owner.path);
    this.#dependencies.onEvent({ kind: 'unreadable', messages, error });
    return error;
  }

  /** Whether there are messages of earlier clients, which are sent first. */
  get hasMore(): boolean {
    return this.#recovery.hasMore;
  }

  /** The next batch of earlier clients. */
  next(): Promise<Batch | undefined> {
    return this.#recovery.next();
  }

  /** Hands everything to the operating system. Also called when the process ends right after. */
  writeNow(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#write();
  }

  #write(): void {
    this.#isWriteQueued = false;
    if (this.#isClosed || this.#isRemoved || this.#cancelRetry !== undefined) return;
    try {
      this.#writeLetters();
      this.#log.write();
      this.#recovery.write();
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#recover();
    this.#waiters.noteWritten();
  }

  /** Resolves when the journal has taken over all that it found. */
  settled(): Promise<void> {
    return this.#recovery.look();
  }

  /** @param hasRest whether messages stay for the next client */
  async close(hasRest: boolean): Promise<void> {
    this.#cancelLook();
    this.writeNow();
    await this.#waiters.idle();
    this.#cancelRetry?.();
    this.#isClosed = true;
    this.#waiters.noteEnded();
    this.#log.close();
    this.#recovery.close();
    await this.#owner.release(hasRest);
  }

  #stored(batch: Batch, index: number): Promise<void> {
    this.#queueWrite();
    return this.#waiters.wait(batch, index);
  }

  readonly #writeTurn = (): void => {
    if (this.#isWriteQueued) this.#write();
  };

  #queueWrite(): void {
    if (this.#isWriteQueued) return;
    this.#isWriteQueued = true;
    queueMicrotask(this.#writeTurn);
  }

  #bury(batch: Batch, from: number, to: number, errorOf: ErrorOf): void {
    const at = this.#dependencies.clock.wall();
    for (let index = from; index < to; index++) {
      const error = errorOf(index);
      if (error === undefined || error.code === 'EVENTFERRY_JOURNAL_DAMAGED') continue;
      this.#deadLetters.add(at, error, batch.messages(index, index + 1).toString());
    }
  }

  #writeLetters(): void {
    const { clock, onEvent } = this.#dependencies;
    const messages = this.#deadLetters.write(clock.wall());
    if (messages > 0) onEvent({ kind: 'dropped', messages });
  }

  #fail(error: unknown): void {
    const { clock, onEvent } = this.#dependencies;
    this.#cancelRetry = clock.after(RETRY_MS, () => {
      this.#cancelRetry = undefined;
      this.writeNow();
    });
    if (this.#isFailing) return;
    this.#isFailing = true;
    onEvent({ kind: 'failing', error: this.#errorOf(this.#options.path, error) });
  }

  #recover(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#dependencies.onEvent({ kind: 'storing' });
  }

  async #look(): Promise<void> {
    if (!this.#owner.isThere) {
      this.#noteRemoved();
      return;
    }
    await this.#recovery.look();
    if (this.#isClosed) return;
    this.#cancelLook = this.#dependencies.clock.after(LOOK_MS, () => void this.#look());
  }

  #noteRemoved(): void {
    this.#isRemoved = true;
    this.#fail(new RemovedProblem(this.#owner.path));
  }

  #openLog(): OwnLog {
    try {
      return new OwnLog(this.#owner.path, this.#options.path, this.#options.maxBytes);
    } catch (error) {
      void this.#owner.release(false);
      throw error;
    }
  }

  #setAside(path: string, remains: readonly Buffer[]): void {
    const { clock, onEvent, onUnreadable } = this.#dependencies;
    const error = this.#damage(path);
    const [at, messages] = [clock.wall(), remains.length];
    // Nothing is left of a missing message.
    const found = remains.filter(({ length }) => length > 0);
    for (const bytes of found) this.#deadLetters.addDamaged(at, error, bytes);
    onUnreadable(
      messages,
      found.reduce((sum, { length }) => sum + length, 0),
      error.code,
    );
    onEvent({ kind: 'damaged', messages, error });
    this.#queueWrite();
  }

  #damage(path: string): JournalError {
    const text = `A message in the journal at ${path} cannot be read any more, and is lost`;
    return this.#dependencies.newError('EVENTFERRY_JOURNAL_DAMAGED', path, text);
  }

  #errorOf(path: string, error: unknown): JournalError {
    return errorOf(this.#dependencies, path, error);
  }
}

const storedOfEnded =
  (results: Results) =>
  async (index: number): Promise<void> => {
    const error = results.lossOf(index);
    if (error !== undefined) throw error;
  };

function errorOf({ newError }: JournalDependencies, path: string, error: unknown): JournalError {
  const { code, message } = describeProblem(path, error);
  return newError(code, path, message, { cause: error });
}
