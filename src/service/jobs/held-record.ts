import type { Clock } from '../../base/time/clock.js';
import type { Change, KeyValueStore } from '../../store/key-value-store.js';
import { SerialQueue } from '../turns.js';

/** For how long a silent process keeps its records, in ms, and how often it renews its lease. */
export const LEASE_MS = 30_000;
const RENEW_MS = 10_000;

/** More than can be written while the key-value store is asked once. */
const RECENT = 7;

/** A record as it was read, or none. */
export interface Found<R> {
  readonly text: string | undefined;
  readonly record: R | undefined;
}

export interface HoldOptions<R> {
  readonly keyValues: KeyValueStore;
  readonly clock: Pick<Clock, 'wall' | 'after'>;
  /** The record with its lease until then, in ms since 1970; 0 frees it. */
  leased(record: R, until: number): R;
}

export const foundIn = <R>(text: string | undefined): Found<R> => ({
  text,
  record: text === undefined ? undefined : JSON.parse(text),
});

/** Another process carries the job out, or the API stopped it. */
export class JobLostError extends Error {}

/**
 * A record on the key-value store that one process holds while it works on it. Each write requires the record to be as this
 * holder left it: a process that slept, and lost its lease, cannot disturb the one that took over.
 */
export class HeldRecord<R> {
  readonly #options: HoldOptions<R>;
  readonly #key: string;
  #record: R;
  #text: string | undefined;
  /** The last few texts that this holder wrote, one of them perhaps still on its way. */
  #ours: readonly (string | undefined)[];
  #isLost = false;
  readonly #queue = new SerialQueue();
  #cancelRenewal: () => void = () => {};

  private constructor(options: HoldOptions<R>, key: string, text: string, record: R) {
    this.#options = options;
    this.#key = key;
    this.#text = text;
    this.#ours = [text];
    this.#record = record;
    this.#renewLater();
  }

  /** Writes the record and the changes with it, unless the key has another text than was found: then undefined. */
  static async take<R>(
    options: HoldOptions<R>,
    key: string,
    { text }: Pick<Found<R>, 'text'>,
    record: R,
    changes: readonly Change[] = [],
  ): Promise<HeldRecord<R> | undefined> {
    const { keyValues, clock, leased } = options;
    const value = JSON.stringify(leased(record, clock.wall() + LEASE_MS));
    const isTaken = await keyValues.writeIf({ key, value: text }, [{ key, value }, ...changes]);
    return isTaken ? new HeldRecord(options, key, value, record) : undefined;
  }

  get record(): R {
    return this.#record;
  }

  /** Changes the record, to be written with the next update or renewal. */
  note(next: (record: R) => R): void {
    this.#record = next(this.#record);
  }

  /**
   * Writes what becomes of the record together with the changes, or nothing; undefined removes the record.
   *
   * @throws JobLostError, when another process has taken over
   */
  update(next: (record: R) => R | undefined, changes: readonly Change[] = []): Promise<void> {
    return this.#queue.run(async () => {
      const record = next(this.#record);
      await this.#write(record, this.#leaseEnd(), changes);
      this.#record = record ?? this.#record;
    });
  }

  /**
   * Resolves when no process had taken over by now: so the holder has read all that was read before.
   *
   * @throws JobLostError
   */
  async confirm(): Promise<void> {
    const [text] = await this.#options.keyValues.get([this.#key]);
    if (!this.#ours.includes(text)) throw this.#lose();
  }

  /** @throws JobLostError, when it is known already that another process has taken over */
  assertHeld(): void {
    if (this.#isLost) throw this.#lose();
  }

  /** Lets another process go on with it at once. */
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
    this.#ours = [...this.#ours.slice(-RECENT), text];
    const isHeld = await keyValues.writeIf({ key, value: this.#text }, [{ key, value: text }, ...changes]);
    if (!isHeld) throw this.#lose();
    this.#text = text;
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
      // The holder learns of a loss from its next write, which fails as this one did.
      this.#queue.run(() => this.#lease(this.#leaseEnd())).catch(() => undefined);
    });
  }

  /** Writes the end of the lease, which must not bring a removed record back. */
  async #lease(until: number): Promise<void> {
    if (this.#text !== undefined) await this.#write(this.#record, until, []);
  }
}
