import { mkdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { Clock } from '../../clock.js';
import type { EventferryError, JournalError, JournalErrorCode } from '../../errors.js';
import type { Batch } from '../queue/batch.js';
import type { ErrorOf, Results } from '../queue/results.js';
import { DeadLetterFiles } from './dead-letter-file.js';
import type { ResolvedJournalOptions } from './options.js';
import { OwnLog } from './own-log.js';
import { OwnerFolder } from './owner-folder.js';
import { Recovery } from './recovery.js';
import { describeProblem } from './system-errors.js';

/** What a journal tells its client, and the client its listeners. */
export type JournalEvent =
  /** What is accepted now is in memory alone: it could not be written, and is tried again every second. */
  | { readonly kind: 'failing'; readonly error: JournalError }
  /** All that waits is in the journal again. */
  | { readonly kind: 'storing' }
  /** So many messages of clients that live no more are this one's now. */
  | { readonly kind: 'recovered'; readonly messages: number }
  /** So many messages cannot be read, or a whole folder, which stays where it is. */
  | { readonly kind: 'damaged'; readonly messages: number; readonly error: JournalError }
  /** So many messages of this client's own cannot be read back, and are lost. */
  | { readonly kind: 'unreadable'; readonly messages: number; readonly error: JournalError }
  /** So many dead letters went, the oldest, as there were too many or they were too old. */
  | { readonly kind: 'dropped'; readonly messages: number };

export interface JournalDependencies {
  readonly clock: Clock;
  newBatch(): Batch;
  onEvent(event: JournalEvent): void;
  /** There are batches of others to send. */
  onMore(): void;
  /** Makes an error of the client's own, as the journal is a file of its own, which may be loaded beside another copy. */
  newError(code: JournalErrorCode, path: string, message: string, options?: ErrorOptions): JournalError;
}

/** Opens a journal. @throws JournalError */
export type OpenJournal = (options: ResolvedJournalOptions, dependencies: JournalDependencies) => Journal;

/** How often clients that live no more are looked for, in ms. */
const LOOK_MS = 2_000;

/** How often it is tried to write again after a failure, in ms. */
const RETRY_MS = 1_000;

interface Waiter {
  readonly batch: Batch;
  readonly index: number;
  resolve(): void;
  reject(error: EventferryError): void;
}

/** The copy on disk of what a client has accepted and not delivered yet, and of what it had to give up. */
export class Journal {
  readonly #options: ResolvedJournalOptions;
  readonly #dependencies: JournalDependencies;
  readonly #owner: OwnerFolder;
  readonly #log: OwnLog;
  readonly #recovery: Recovery;
  readonly #deadLetters: DeadLetterFiles;
  #letters: string[] = [];
  #waiters: Waiter[] = [];
  #isWriteQueued = false;
  #isFailing = false;
  /** Cancels the next attempt after a failure. */
  #cancelRetry: (() => void) | undefined;
  #cancelLook: () => void = () => {};
  #flushing: Promise<void> | undefined;
  #isClosed = false;

  private constructor(options: ResolvedJournalOptions, dependencies: JournalDependencies) {
    const { path } = options;
    this.#options = options;
    this.#dependencies = dependencies;
    mkdirSync(path, { recursive: true, mode: 0o700 });
    this.#owner = OwnerFolder.create(path);
    this.#log = new OwnLog(this.#owner.path, path);
    this.#deadLetters = new DeadLetterFiles(path, basename(this.#owner.path), options);
    this.#recovery = new Recovery({
      owner: this.#owner,
      newBatch: dependencies.newBatch,
      onRecovered: (messages) => dependencies.onEvent({ kind: 'recovered', messages }),
      onDamaged: (folder, bytes) => this.#setAside(folder, bytes),
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

  /** Whether so many bytes more may be written. */
  hasRoomFor(bytes: number): boolean {
    return this.#log.bytes + bytes <= this.#options.maxBytes;
  }

  /** A message came to the end of this batch. It is written at the end of this turn of the event loop, with all others. */
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
    if (this.#waiters.length > 0) this.#releaseEnded();
    // A receipt that is kept must not keep the bytes of its batch.
    if (batch.isOver) batch.results.storedOf = storedOfEnded(batch.results);
    this.#queueWrite();
  }

  /** How many messages of a batch, from the first, stay for the next process. */
  heldOf(batch: Batch): number {
    return this.#recovery.has(batch) ? batch.count : this.#log.writtenOf(batch);
  }

  /** Whether a batch may leave the memory until it is sent. */
  mayUnload(batch: Batch): boolean {
    if (!this.#isFailing) this.#write();
    return this.#log.holds(batch);
  }

  /** The messages of a batch that left the memory, as JSON; undefined for one that cannot be read. */
  async read(batch: Batch): Promise<(Buffer | undefined)[]> {
    const messages = await this.#log.read(batch);
    return messages.map(({ json }) => json);
  }

  /** So many messages of this client's own could not be read back. They are settled by the caller. */
  tellDamage(messages: number): JournalError {
    const error = this.#damage(this.#owner.path);
    this.#dependencies.onEvent({ kind: 'unreadable', messages, error });
    return error;
  }

  /** Whether there is something of others to send, which comes first. */
  get hasMore(): boolean {
    return this.#recovery.hasMore;
  }

  /** The next batch of others. */
  next(): Promise<Batch | undefined> {
    return this.#recovery.next();
  }

  /** Hands everything to the operating system. Also called when nothing but this will happen any more. */
  writeNow(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#write();
  }

  #write(): void {
    this.#isWriteQueued = false;
    if (this.#isClosed || this.#cancelRetry !== undefined) return;
    try {
      this.#writeLetters();
      this.#log.write();
      this.#recovery.write();
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#recover();
    if (this.#waiters.length > 0) this.#releaseStored();
  }

  /** Resolves when nothing is being taken over. */
  settled(): Promise<void> {
    return this.#recovery.look();
  }

  /** @param hasRest whether something stays for others */
  async close(hasRest: boolean): Promise<void> {
    this.#cancelLook();
    this.writeNow();
    await this.#flushing;
    this.#cancelRetry?.();
    this.#isClosed = true;
    this.#releaseEnded();
    this.#log.close();
    this.#recovery.close();
    await this.#owner.release(hasRest);
  }

  #stored(batch: Batch, index: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ batch, index, resolve, reject });
      if (index < batch.results.ended) this.#releaseEnded();
      else this.#queueWrite();
    });
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
    const at = this.#now();
    for (let index = from; index < to; index++) {
      const error = errorOf(index);
      if (error === undefined || error.code === 'EVENTFERRY_JOURNAL_DAMAGED') continue;
      this.#letters.push(letterOf(at, error, batch.messages(index, index + 1).toString()));
    }
  }

  #writeLetters(): void {
    if (this.#letters.length === 0) return;
    const dropped = this.#deadLetters.append(this.#letters, this.#dependencies.clock.wall());
    this.#letters = [];
    if (dropped > 0) this.#dependencies.onEvent({ kind: 'dropped', messages: dropped });
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

  #releaseEnded(): void {
    this.#waiters = this.#waiters.filter(({ batch, index, resolve, reject }) => {
      if (index >= batch.results.ended) return true;
      const error = batch.results.lossOf(index);
      if (error === undefined || error.code === 'EVENTFERRY_LEFT_IN_JOURNAL') resolve();
      else reject(error);
      return false;
    });
  }

  #releaseStored(): void {
    if (this.#options.durability === 'process') {
      for (const { resolve } of this.#waiters.splice(0)) resolve();
      return;
    }
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined;
    });
  }

  /** One flush at a time: who comes while one runs waits for the next. */
  async #flush(): Promise<void> {
    while (this.#waiters.length > 0) {
      const waiters = this.#waiters;
      this.#waiters = [];
      try {
        await this.#log.flush();
        for (const { resolve } of waiters) resolve();
      } catch (error) {
        this.#waiters = [...waiters, ...this.#waiters];
        this.#fail(error);
        return;
      }
    }
  }

  async #look(): Promise<void> {
    const hadMore = this.hasMore;
    await this.#recovery.look();
    if (this.#isClosed) return;
    if (!hadMore && this.hasMore) this.#dependencies.onMore();
    this.#cancelLook = this.#dependencies.clock.after(LOOK_MS, () => void this.#look());
  }

  #setAside(path: string, bytes: Buffer): void {
    const error = this.#damage(path);
    this.#letters.push(letterOf(this.#now(), error, `null,"bytes":"${bytes.toString('base64')}"`));
    this.#dependencies.onEvent({ kind: 'damaged', messages: 1, error });
    this.#queueWrite();
  }

  #now(): string {
    return new Date(this.#dependencies.clock.wall()).toISOString();
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

const letterOf = (at: string, { code, message }: EventferryError, json: string): string =>
  `{"at":"${at}","code":"${code}","error":${JSON.stringify(message)},"message":${json}}`;

function errorOf({ newError }: JournalDependencies, path: string, error: unknown): JournalError {
  const { code, message } = describeProblem(path, error);
  return newError(code, path, message, { cause: error });
}
