import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Clock } from '../../base/time/clock.js';
import type { ReceivedMessage } from '../../collector/received-message.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import { type FoundRecord, type HeldRecord, JobLostError } from '../jobs/held-record.js';
import { JobRunner } from '../jobs/job-runner.js';
import { syncErrors } from './audience-errors.js';
import type { AudienceRecord, Sync } from './audience-record.js';
import { allLists, findList, isSame, sweepStaged } from './audience-store.js';
import { identifyOf } from './identify-of.js';
import { audienceKey, stagedPrefix } from './keys.js';
import type { ListKind, NamedList } from './named.js';
import { type Lists, stage } from './staging.js';
import { type SyncStep, stepsOf } from './sync-steps.js';

/** Forwards the messages of a change, each id once. Resolves when they are stored. */
export type Accept = (messages: readonly ReceivedMessage[]) => Promise<void>;

export interface SyncsOptions {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  /** Called with every `identify` that a change makes, up to 500 at a time. */
  readonly accept: Accept;
  /** The maximum number of users that one step changes, up to 500, because each of them has a message. */
  readonly stepSize: number;
  /** The number of users of a list that are held in memory and sorted before they are written. */
  readonly runSize: number;
  onError(error: unknown): void;
}

/**
 * Changes audiences and computed traits. The whole list of a change is staged on the key-value store before any of it is applied,
 * so a list that breaks off changes nothing. The change is then applied in steps. After a crash any process continues it, and
 * makes the messages of the unfinished steps again, with the same ids.
 */
export class Syncs {
  readonly #options: SyncsOptions;
  readonly #jobs: JobRunner<AudienceRecord>;

  constructor(options: SyncsOptions) {
    this.#options = options;
    this.#jobs = new JobRunner({
      ...options,
      keyOf: ({ trait }) => audienceKey(trait),
      unfinished: () => this.#unfinished(),
      isFinished: ({ sync }) => sync === undefined,
      // Each change may hold many entries in memory, so they run one at a time.
      inTurn: true,
      carryOut: (held) => this.#goOn(held),
    });
  }

  /**
   * Applies a list to the audience. Resolves to its record as the last step left it, which includes the result of the change.
   *
   * @param at the time that the messages about it have, in ms since 1970. @default now
   * @throws SyncError, and what the list throws
   */
  async run(audience: NamedList, kind: Sync['kind'], listed: Lists, at?: number): Promise<AudienceRecord> {
    this.#assertOpen(audience.kind);
    const { keyValues, clock } = this.#options;
    const found = await findList(keyValues, audience.trait);
    const record = beginning(found?.record, audience, kind, at ?? clock.wall());
    const taken = await this.#jobs.take(found, record, (held, signal) => this.#carryOut(held, signal, listed));
    if (taken === undefined) throw syncErrors.busy(audience);
    return taken.ended;
  }

  /** Finishes changes that a crash interrupted, now and every 5 s. */
  resume(): Promise<void> {
    return this.#jobs.start();
  }

  close(): Promise<void> {
    return this.#jobs.close();
  }

  /** Yields the records with an unfinished change, and then removes the staged lists of changes that are over. */
  async *#unfinished(): AsyncGenerator<FoundRecord<AudienceRecord>, void, undefined> {
    const { keyValues } = this.#options;
    for await (const found of allLists(keyValues)) {
      if (found.record.sync !== undefined) yield found;
    }
    await sweepStaged(keyValues);
  }

  /** Finishes an interrupted change, or gives it up if its list was not received completely. */
  async #goOn(held: HeldRecord<AudienceRecord>): Promise<void> {
    if (held.record.sync?.phase !== 'applying') return this.#abandon(held);
    await this.#apply(held).catch((error) => {
      if (!this.#jobs.isClosed) throw error;
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
      // The end of this process must not wait for a list that never arrives.
      await Promise.race([staged, once(signal, 'abort')]);
      this.#assertOpen(kind);
      await held.update((record) => withSync(record, { phase: 'applying' }));
    } catch (error) {
      // If this fails, `resume` gives the change up later.
      await this.#abandon(held).catch(() => {});
      throw error instanceof JobLostError ? syncErrors.busy(held.record) : error;
    }
    return this.#apply(held).catch((error) => {
      if (!this.#jobs.isClosed) this.#options.onError(error);
      throw syncErrors.unfinished(held.record, error);
    });
  }

  /** Gives up a change whose list was not received completely. An audience that had no earlier change is removed. */
  async #abandon(held: HeldRecord<AudienceRecord>): Promise<void> {
    // This comes first, because it fails if the list turned out to be complete, or another process has taken over.
    await held.update((record) => (record.syncedAt === undefined ? undefined : { ...record, sync: undefined }));
    await sweepStaged(this.#options.keyValues);
  }

  async #apply(held: HeldRecord<AudienceRecord>): Promise<AudienceRecord> {
    const { keyValues, clock, onError } = this.#options;
    await this.#takeSteps(held);
    const { record } = held;
    const isGone = record.sync?.kind === 'remove';
    await held.update(() => (isGone ? undefined : { ...record, syncedAt: clock.wall(), sync: undefined }));
    // What cannot be removed now is removed by a later sweep.
    await sweepStaged(keyValues).catch(onError);
    return record;
  }

  /**
   * Applies a change whose whole list is on the key-value store, from its current cursor to the end. Each step stores its messages
   * first, then the members together with the progress, so that a crash between the two makes the same messages again, with the
   * same ids.
   */
  async #takeSteps(held: HeldRecord<AudienceRecord>): Promise<void> {
    const { kind, trait, sync } = held.record;
    if (sync === undefined) return;
    for await (const step of stepsOf(this.#options, trait, sync)) {
      this.#assertOpen(kind);
      const messages = step.differences.map((difference) => identifyOf(held.record, sync, difference));
      if (messages.length > 0) {
        // If another process has taken over, what was read may be outdated, and messages cannot be taken back.
        await held.confirm();
        await this.#options.accept(messages);
      }
      const changes = step.differences.map(({ key, value }) => ({ key, value }));
      await held.update((record) => after(record, step), changes);
    }
  }

  #assertOpen(kind: ListKind): void {
    if (this.#jobs.isClosed) throw syncErrors.closed(kind);
  }
}

const withSync = (record: AudienceRecord, change: Partial<Sync>): AudienceRecord =>
  record.sync === undefined ? record : { ...record, sync: { ...record.sync, ...change } };

/**
 * Makes the record with which a change begins, of an existing audience or of one that the change creates.
 *
 * @throws SyncError if it is missing, its trait is taken, or it is busy
 */
function beginning(
  record: AudienceRecord | undefined,
  audience: NamedList,
  kind: Sync['kind'],
  at: number,
): AudienceRecord {
  if (record === undefined && kind !== 'replace') throw syncErrors.missing(audience);
  if (record !== undefined && !isSame(record, audience)) throw syncErrors.taken(audience, record);
  if (record?.sync !== undefined) throw syncErrors.busy(audience);
  const none = { received: 0, applied: 0, joined: 0, changed: 0, left: 0 };
  return {
    ...(record ?? { ...audience, members: 0, createdAt: at }),
    sync: { id: randomUUID(), kind, at, phase: 'receiving', ...none },
  };
}

function after(record: AudienceRecord, { differences, cursor, applied }: SyncStep): AudienceRecord {
  const { sync, members } = record;
  if (sync === undefined) return record;
  const left = differences.filter(({ json }) => json === undefined).length;
  const joined = differences.filter(({ isKnown }) => !isKnown).length;
  return {
    ...record,
    members: members + joined - left,
    sync: {
      ...sync,
      cursor,
      applied: sync.applied + applied,
      joined: sync.joined + joined,
      changed: sync.changed + differences.length - joined - left,
      left: sync.left + left,
    },
  };
}
