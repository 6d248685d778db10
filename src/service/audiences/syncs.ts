import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Clock } from '../../base/time/clock.js';
import { type Found, type HeldRecord, JobLostError } from '../jobs/held-record.js';
import { JobRunner } from '../jobs/job-runner.js';
import { type ApplyOptions, apply } from './apply.js';
import {
  SyncBusyError,
  SyncNotFoundError,
  SyncsClosedError,
  SyncUnfinishedError,
  TraitTakenError,
} from './audience-errors.js';
import type { AudienceRecord, Sync } from './audience-record.js';
import { type AudienceStore, isSame } from './audience-store.js';
import { audienceKey, stagedPrefix } from './keys.js';
import type { Kind, Named } from './named.js';
import { type Lists, stage } from './staging.js';

export interface SyncsOptions extends Omit<ApplyOptions, 'assertOpen'> {
  readonly audiences: AudienceStore;
  readonly clock: Clock;
  /** The number of users of a list that are held and sorted before they are written. */
  readonly runSize: number;
  onError(error: unknown): void;
}

/**
 * Changes audiences and computed traits. All of a change is staged on the key-value store before any of it is applied, so one that breaks off
 * changes nothing. Then it is applied in steps, and after a crash any process goes on with it. The messages of the steps that
 * were being done are made again, with the same ids.
 */
export class Syncs {
  readonly #options: SyncsOptions;
  readonly #jobs: JobRunner<AudienceRecord>;
  #isClosed = false;

  constructor(options: SyncsOptions) {
    this.#options = options;
    this.#jobs = new JobRunner({
      ...options,
      keyOf: ({ trait }) => audienceKey(trait),
      unfinished: () => this.#unfinished(),
      isFinished: ({ sync }) => sync === undefined,
      // Each holds many entries.
      inTurn: true,
      carryOut: (held) => this.#goOn(held),
    });
  }

  /**
   * Changes the audience by the list. Resolves with its record as the last step left it, with what the change came to.
   *
   * @param at the time in the messages about it, in ms since 1970. @default now
   * @throws SyncNotFoundError, TraitTakenError, SyncBusyError, SyncsClosedError, SyncUnfinishedError, and what the list throws
   */
  async run(audience: Named, kind: Sync['kind'], listed: Lists, at?: number): Promise<AudienceRecord> {
    this.#assertOpen(audience.kind);
    const { audiences, clock } = this.#options;
    const found = await audiences.find(audience.trait);
    const record = beginning(found, audience, kind, at ?? clock.wall());
    const taken = await this.#jobs.take(found, record, (held, signal) => this.#carryOut(held, signal, listed));
    if (taken === undefined) throw new SyncBusyError(audience);
    return taken.ended;
  }

  /** Finishes what a crash interrupted, now and every 5 s. */
  resume(): Promise<void> {
    return this.#jobs.start();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#jobs.close();
  }

  /** Those that are being changed; then what was staged for changes that are over goes. */
  async *#unfinished(): AsyncGenerator<Found<AudienceRecord>, void, undefined> {
    const { audiences } = this.#options;
    for await (const found of audiences.all()) {
      if (found.record?.sync !== undefined) yield found;
    }
    await audiences.sweepStaged();
  }

  /** Finishes a change that was left, or gives up its list. */
  async #goOn(held: HeldRecord<AudienceRecord>): Promise<void> {
    if (held.record.sync?.phase !== 'applying') return this.#abandon(held);
    await this.#apply(held).catch((error) => {
      if (!this.#isClosed) throw error;
    });
  }

  async #carryOut(held: HeldRecord<AudienceRecord>, signal: AbortSignal, listed: Lists): Promise<AudienceRecord> {
    const { kind, trait, sync } = held.record;
    const progress = (received: number): void => {
      this.#assertOpen(kind);
      held.assertHeld();
      held.note((record) => withSync(record, { received }));
    };
    try {
      this.#assertOpen(kind);
      const staged = stage({ ...this.#options, prefix: stagedPrefix(trait, sync?.id ?? ''), progress }, listed);
      // The end of this process does not wait for a list that does not come.
      await Promise.race([staged, once(signal, 'abort')]);
      this.#assertOpen(kind);
      await held.update((record) => withSync(record, { phase: 'applying' }));
    } catch (error) {
      // A later look does what cannot be done now.
      await this.#abandon(held).catch(() => {});
      throw error instanceof JobLostError ? new SyncBusyError(held.record) : error;
    }
    return this.#apply(held).catch((error) => {
      if (!this.#isClosed) this.#options.onError(error);
      throw new SyncUnfinishedError(held.record, error);
    });
  }

  /** Gives up a list. Without an earlier change there is no audience then. */
  async #abandon(held: HeldRecord<AudienceRecord>): Promise<void> {
    // This comes first, because it fails when the list has become whole after all, or another process has taken over.
    await held.update((record) => (record.syncedAt === undefined ? undefined : { ...record, sync: undefined }));
    await this.#options.audiences.sweepStaged();
  }

  async #apply(held: HeldRecord<AudienceRecord>): Promise<AudienceRecord> {
    const { audiences, clock, onError } = this.#options;
    await apply({ ...this.#options, assertOpen: () => this.#assertOpen(held.record.kind) }, held);
    const { record } = held;
    const isGone = record.sync?.kind === 'remove';
    await held.update(() => (isGone ? undefined : { ...record, syncedAt: clock.wall(), sync: undefined }));
    // A later sweep removes what cannot be removed now.
    await audiences.sweepStaged().catch(onError);
    return record;
  }

  #assertOpen(kind: Kind): void {
    if (this.#isClosed) throw new SyncsClosedError(kind);
  }
}

const withSync = (record: AudienceRecord, change: Partial<Sync>): AudienceRecord =>
  record.sync === undefined ? record : { ...record, sync: { ...record.sync, ...change } };

/**
 * Makes the record with which a change begins, of an audience that is known or that is made by it.
 *
 * @throws SyncNotFoundError, TraitTakenError, SyncBusyError
 */
function beginning({ record }: Found<AudienceRecord>, audience: Named, kind: Sync['kind'], at: number): AudienceRecord {
  if (record === undefined && kind !== 'replace') throw new SyncNotFoundError(audience);
  if (record !== undefined && !isSame(record, audience)) throw new TraitTakenError(audience, record);
  if (record?.sync !== undefined) throw new SyncBusyError(audience);
  const none = { received: 0, applied: 0, joined: 0, changed: 0, left: 0 };
  return {
    ...(record ?? { ...audience, members: 0, createdAt: at }),
    sync: { id: randomUUID(), kind, at, phase: 'receiving', ...none },
  };
}
