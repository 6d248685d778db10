import type { Readable } from 'node:stream';
import type { Analytics } from '../../analytics.js';
import { reasonOf } from '../failure.js';
import { Account, type AccountOptions, type ImportSummary, type Place, sizeOfAll } from './account.js';
import type { CsvOptions } from './csv.js';
import type { Input } from './input.js';
import type { Journal } from './journal.js';
import type { Meter } from './meter.js';
import { openSource } from './source.js';
import { outcomeOf, refusalOf, type TakeOptions, take } from './take.js';
import { type Outcome, Window } from './window.js';

export interface ImportRunOptions extends TakeOptions, AccountOptions {
  readonly analytics: Analytics;
  readonly journal: Journal;
  readonly csv: CsvOptions;
  readonly stdin: Readable;
  createMeter(skippedBytes: number): Meter;
}

/** The most rows whose end is not known yet: each costs some memory beside its message. */
const MAX_OPEN_ROWS = 50_000;
/** How much of the client's queue may be full before reading pauses, in bytes. */
const ENOUGH_BYTES = 4 * 1024 * 1024;
const MAX_WAITING_REJECTS = 5_000;
/** How long an interrupted import waits for what is on its way, in milliseconds. */
const GRACE_MS = 5_000;

/** One import, from the first row to the summary. */
export class ImportRun {
  readonly #options: ImportRunOptions;
  readonly #window = new Window<Place>((place, outcome) => this.#pass(place, outcome));
  readonly #account: Account;
  #waiting: string | undefined;
  #stopped: ImportSummary['stopped'];
  #wake: () => void = () => {};
  #closeSource: () => void = () => {};

  constructor(options: ImportRunOptions) {
    this.#options = options;
    this.#account = new Account(options);
  }

  /** Reads no further, gives what is on its way a moment, and notes how far it came. */
  interrupt(): void {
    this.#stop(true, 'interrupted');
    this.#waiting = 'stopping; Ctrl-C again to stop at once';
    this.#closeSource();
  }

  /** @throws Failure when the disk refuses */
  async run(): Promise<ImportSummary> {
    const { analytics, journal } = this.#options;
    const meter = this.#options.createMeter(this.#account.skippedBytes);
    const stopShowing = meter.every(() => this.#account.measure(this.#waiting));
    analytics.on('retry', ({ attempt, error }) => {
      this.#waiting = `attempt ${attempt} failed (${error.message}), waiting`;
    });
    // Heard, so that the client does not warn the process of what the summary says.
    analytics.on('lost', () => {});
    try {
      await this.#readAll();
      await this.#finish();
    } finally {
      stopShowing();
      await journal.close();
    }
    return this.#account.summary(this.#stopped);
  }

  async #readAll(): Promise<void> {
    try {
      for (const [index, input] of this.#options.inputs.entries()) {
        if (index < (this.#options.from?.file ?? 0)) continue;
        await this.#read(input, index);
        if (this.#stopped !== undefined) return;
      }
    } catch (error) {
      this.#stop(false, reasonOf(error));
    }
  }

  async #read(input: Input, file: number): Promise<void> {
    const { from, csv, stdin } = this.#options;
    const before = sizeOfAll(this.#options.inputs.slice(0, file)) ?? 0;
    const source = openSource(input, from?.file === file ? from.last : undefined, csv, stdin);
    this.#closeSource = source.close;
    for await (const rows of source.rows) {
      const bytes = before + source.bytesRead();
      for (const row of rows) {
        if (this.#isFull()) await this.#room();
        if (this.#stopped !== undefined) return;
        this.#take({ file, row, bytes });
      }
    }
  }

  #take(place: Place): void {
    const end = this.#window.enter(place);
    const { problem } = place.row;
    if (problem !== undefined) {
      end({ kind: 'rejected', reason: problem });
      return;
    }
    try {
      take(this.#options.analytics, place.row, this.#options).delivered.then(
        () => end({ kind: 'delivered' }),
        (error) => this.#lose(error, end),
      );
    } catch (error) {
      end(refusalOf(error));
    }
  }

  /** What was lost to the collector as a whole stays open: the checkpoint must not pass it. */
  #lose(error: unknown, end: (outcome: Outcome) => void): void {
    const outcome = outcomeOf(error);
    if (outcome === undefined) this.#stop(false, reasonOf(error));
    else end(outcome);
  }

  #pass(place: Place, outcome: Outcome): void {
    const { journal } = this.#options;
    const reject = this.#account.enter(place, outcome);
    if (reject !== undefined) journal.reject(reject);
    journal.note(() => this.#account.progress(false));
    this.#waiting = undefined;
  }

  #isFull(): boolean {
    const { analytics, journal } = this.#options;
    return (
      this.#window.size >= MAX_OPEN_ROWS ||
      analytics.pending.bytes > ENOUGH_BYTES ||
      journal.waiting >= MAX_WAITING_REJECTS
    );
  }

  async #room(): Promise<void> {
    const { analytics, journal } = this.#options;
    if (journal.waiting >= MAX_WAITING_REJECTS) await journal.write();
    if (analytics.pending.bytes <= ENOUGH_BYTES && this.#window.size < MAX_OPEN_ROWS) return;
    await this.#unlessStopped(this.#window.size >= MAX_OPEN_ROWS ? analytics.flush() : analytics.ready());
  }

  /** Resolves with `work`, or when the import is to stop. Not a race: that would keep every work it ever saw. */
  #unlessStopped(work: Promise<void>): Promise<void> {
    if (this.#stopped !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
      work.then(resolve, resolve);
    });
  }

  #stop(isInterrupt: boolean, reason: string): void {
    this.#stopped ??= { isInterrupt, reason };
    this.#wake();
  }

  async #finish(): Promise<void> {
    const { analytics, journal } = this.#options;
    await this.#unlessStopped(analytics.flush());
    // Receipts tell their readers a turn later than the client counts.
    if (this.#stopped === undefined) await this.#settled();
    await analytics.close({ timeout: GRACE_MS });
    await this.#settled();
    const isDone = this.#stopped === undefined;
    if (this.#account.hasMoved || isDone) journal.note(() => this.#account.progress(isDone));
  }

  #settled(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}
