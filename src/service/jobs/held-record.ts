import { SerialQueue } from '../../base/structures/turns.js';
import type { Clock } from '../../base/time/clock.js';
import { type Change, entriesOf, type KeyValueStore } from '../../store/key-value-store.js';

/** How long a process that does not answer keeps its records, and how often a lease is renewed, in ms. */
export const LEASE_MS = 30_000;
const RENEW_MS = 10_000;

/** The interval in ms at which progress is written. */
const PROGRESS_MS = 500;

/** A record and its text, as they were read. */
export interface FoundRecord<R> {
  readonly text: string;
  readonly record: R;
}

/** Reads the record with that key. */
export async function recordAt<R>(keyValues: KeyValueStore, key: string): Promise<FoundRecord<R> | undefined> {
  const [text] = await keyValues.get([key]);
  return text === undefined ? undefined : { text, record: JSON.parse(text) };
}

/** Reads all records with that prefix, in the order of their keys. */
export async function* recordsIn<R>(
  keyValues: KeyValueStore,
  prefix: string,
): AsyncGenerator<FoundRecord<R> & { readonly key: string }, void, undefined> {
  for await (const { key, value } of entriesOf(keyValues, prefix))
    yield { key, text: value, record: JSON.parse(value) };
}

export interface HoldOptions<R> {
  readonly keyValues: KeyValueStore;
  readonly clock: Pick<Clock, 'wall' | 'after'>;
  /** Returns the record with a lease until that time, in ms since 1970; 0 frees the record. */
  leased(record: R, until: number): R;
}

/** Another process carries the job out, or the API stopped it. */
export class JobLostError extends Error {}

/**
 * A record in the key-value store that one process holds while it works on it. A write succeeds only if the record is as this
 * holder left it, so a process that was suspended and lost its lease cannot disturb the one that took over.
 */
export class HeldRecord<R> {
  readonly #options: HoldOptions<R>;
  readonly #key: string;
  #record: R;
  #text: string | undefined;
  #isLost = false;
  #writtenAt: number;
  readonly #queue = new SerialQueue();
  #cancelRenewal: () => void = () => {};

  private constructor(options: HoldOptions<R>, key: string, text: string, record: R) {
    this.#options = options;
    this.#key = key;
    this.#text = text;
    this.#record = record;
    this.#writtenAt = options.clock.wall();
    this.#renewLater();
  }

  /** Writes the record together with the changes; returns undefined if the key no longer has what was found there. */
  static async take<R>(
    options: HoldOptions<R>,
    key: string,
    found: FoundRecord<R> | undefined,
    record: R,
    changes: readonly Change[] = [],
  ): Promise<HeldRecord<R> | undefined> {
    const { keyValues, clock, leased } = options;
    const value = JSON.stringify(leased(record, clock.wall() + LEASE_MS));
    const isTaken = await keyValues.writeIf({ key, value: found?.text }, [{ key, value }, ...changes]);
    return isTaken ? new HeldRecord(options, key, value, record) : undefined;
  }

  get record(): R {
    return this.#record;
  }

  /** Changes the record in memory; the change is stored with the next update or renewal. */
  note(next: (record: R) => R): void {
    this.#record = next(this.#record);
  }

  /** Changes the record in memory like `note`, and writes it unless that was done within the last half second. */
  async progress(next: (record: R) => R): Promise<void> {
    this.note(next);
    if (this.#options.clock.wall() >= this.#writtenAt + PROGRESS_MS) await this.update((record) => record);
  }

  /**
   * Writes the new record and the changes together, or nothing at all. If `next` returns undefined, the record is removed.
   *
   * @throws JobLostError when another process has taken over
   */
  update(next: (record: R) => R | undefined, changes: readonly Change[] = []): Promise<void> {
    return this.#queue.run(async () => {
      const record = next(this.#record);
      await this.#write(record, this.#leaseEnd(), changes);
      this.#record = record ?? this.#record;
    });
  }

  /**
   * Resolves if no other process has taken over so far, so that everything that was read before this call is still valid.
   *
   * @throws JobLostError
   */
  confirm(): Promise<void> {
    return this.#queue.run(async () => {
      const [text] = await this.#options.keyValues.get([this.#key]);
      if (text !== this.#text) throw this.#lose();
    });
  }

  /** @throws JobLostError when it is already known that another process has taken over */
  assertHeld(): void {
    if (this.#isLost) throw this.#lose();
  }

  /** Frees the record, so that another process can continue at once. */
  async release(): Promise<void> {
    this.stop();
    await this.#queue.run(() => this.#lease(0));
  }

  /** Stops renewing the lease. */
  stop(): void {
    this.#cancelRenewal();
    this.#cancelRenewal = () => {};
  }

  async #write(record: R | undefined, until: number, changes: readonly Change[]): Promise<void> {
    this.assertHeld();
    const { keyValues, leased } = this.#options;
    const key = this.#key;
    const text = record === undefined ? undefined : JSON.stringify(leased(record, until));
    const isHeld = await keyValues.writeIf({ key, value: this.#text }, [{ key, value: text }, ...changes]);
    if (!isHeld) throw this.#lose();
    this.#text = text;
    this.#writtenAt = this.#options.clock.wall();
  }

  #leaseEnd(): number {
    return this.#options.clock.wall() + LEASE_MS;
  }

  #lose(): Error {
    this.#isLost = true;
    this.stop();
    return new JobLostError();
  }

  #renewLater(): void {
    this.#cancelRenewal = this.#options.clock.after(RENEW_MS, () => {
      this.#renewLater();
      // The failure can be ignored: if the lease is lost, the next write of the holder fails in the same way.
      this.#queue.run(() => this.#lease(this.#leaseEnd())).catch(() => undefined);
    });
  }

  /** Writes the end of the lease. It does nothing for a removed record, which must not come back. */
  async #lease(until: number): Promise<void> {
    if (this.#text !== undefined) await this.#write(this.#record, until, []);
  }
}
