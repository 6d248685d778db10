import type { Clock } from '../../clock.js';
import type { Change, KeyValueStore } from '../../store/key-value-store.js';
import { SerialQueue } from '../serial-queue.js';
import { AudienceBusyError } from './errors.js';
import { audienceKey } from './keys.js';
import { type AudienceRecord, decodeRecord, encodeRecord } from './record.js';

/** How long a holder that is not heard of is waited for, in milliseconds, and how often one is heard of. */
export const LEASE_MS = 30_000;
const RENEW_MS = 10_000;

/** More than can be written while the key-value store is asked once. */
const RECENT = 7;

/** What the key-value store has of an audience, as it was read. */
export interface Found {
  readonly text: string | undefined;
  readonly record: AudienceRecord | undefined;
}

export async function find(keyValues: KeyValueStore, trait: string): Promise<Found> {
  const [text] = await keyValues.get([audienceKey(trait)]);
  return foundIn(text);
}

export const foundIn = (text: string | undefined): Found => ({
  text,
  record: text === undefined ? undefined : decodeRecord(text),
});

/**
 * One change of an audience, held by one caller in one process. Whatever it writes is written only as long as the record is as
 * it left it: somebody who took over from a holder that slept cannot be disturbed when that one wakes up.
 */
export class AudienceLock {
  readonly #keyValues: KeyValueStore;
  readonly #clock: Clock;
  readonly #key: string;
  #text: string | undefined;
  /** The last few texts of the record that are ours, one of them perhaps still being written. */
  #ours: readonly (string | undefined)[];
  #record: AudienceRecord;
  #isLost = false;
  #received: number;
  readonly #queue = new SerialQueue();
  #cancelRenewal: () => void = () => {};

  private constructor(keyValues: KeyValueStore, clock: Clock, text: string, record: AudienceRecord) {
    this.#keyValues = keyValues;
    this.#clock = clock;
    this.#key = audienceKey(record.trait);
    this.#text = text;
    this.#ours = [text];
    this.#record = record;
    this.#received = record.sync?.received ?? 0;
    this.#renewLater();
  }

  /** Takes the audience, when nobody has changed it since it was found. */
  static async take(
    { keyValues, clock }: { keyValues: KeyValueStore; clock: Clock },
    { text }: Found,
    record: AudienceRecord,
  ): Promise<AudienceLock | undefined> {
    const leased = withLease(record, clock.wall() + LEASE_MS);
    const [key, value] = [audienceKey(record.trait), encodeRecord(leased)];
    const isTaken = await keyValues.writeIf({ key, value: text }, [{ key, value }]);
    return isTaken ? new AudienceLock(keyValues, clock, value, leased) : undefined;
  }

  get record(): AudienceRecord {
    return this.#record;
  }

  /** How many ids were given, which is written with whatever is written next. */
  set received(count: number) {
    this.#received = count;
  }

  /**
   * Writes the changes and what becomes of the record, or nothing; undefined removes it.
   *
   * @throws AudienceBusyError when somebody else has taken over
   */
  update(next: (record: AudienceRecord) => AudienceRecord | undefined, changes: readonly Change[] = []): Promise<void> {
    return this.#queue.run(() => this.#write(next, this.#clock.wall() + LEASE_MS, changes));
  }

  /**
   * Resolves when nobody has taken over until now: then all that was read before was read while the change was ours.
   *
   * @throws AudienceBusyError
   */
  async confirm(): Promise<void> {
    const [text] = await this.#keyValues.get([this.#key]);
    if (!this.#ours.includes(text)) throw this.#lose();
  }

  /** @throws AudienceBusyError when it is known already that somebody else has taken over */
  assertHeld(): void {
    if (this.#isLost) throw this.#lose();
  }

  /** Lets somebody else go on with it at once. */
  async release(): Promise<void> {
    this.stop();
    await this.#queue.run(() => this.#write((record) => record, 0, []));
  }

  /** Renews no more. */
  stop(): void {
    this.#cancelRenewal();
    this.#cancelRenewal = () => {};
  }

  async #write(
    next: (record: AudienceRecord) => AudienceRecord | undefined,
    leaseUntil: number,
    changes: readonly Change[],
  ): Promise<void> {
    this.assertHeld();
    const record = next(this.#withReceived());
    const leased = record && withLease(record, leaseUntil);
    const text = leased && encodeRecord(leased);
    this.#ours = [...this.#ours.slice(-RECENT), text];
    const isHeld = await this.#keyValues.writeIf({ key: this.#key, value: this.#text }, [
      { key: this.#key, value: text },
      ...changes,
    ]);
    if (!isHeld) throw this.#lose();
    this.#text = text;
    this.#record = leased ?? this.#record;
  }

  #withReceived(): AudienceRecord {
    const { sync } = this.#record;
    return sync === undefined ? this.#record : { ...this.#record, sync: { ...sync, received: this.#received } };
  }

  #lose(): AudienceBusyError {
    this.#isLost = true;
    this.stop();
    return new AudienceBusyError(this.#record.name);
  }

  #renewLater(): void {
    this.#cancelRenewal = this.#clock.after(RENEW_MS, () => {
      this.#renewLater();
      // Who holds it finds out at the next write, which fails as this one did.
      this.#queue.run(() => this.#renew()).catch(() => undefined);
    });
  }

  async #renew(): Promise<void> {
    // What is over must not begin again.
    const isOver = this.#text === undefined || this.#record.sync === undefined;
    if (!isOver) await this.#write((record) => record, this.#clock.wall() + LEASE_MS, []);
  }
}

const withLease = (record: AudienceRecord, leaseUntil: number): AudienceRecord =>
  record.sync === undefined ? record : { ...record, sync: { ...record.sync, leaseUntil } };
