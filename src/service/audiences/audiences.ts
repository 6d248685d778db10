import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../clock.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import type { AudienceReport, SyncResult } from '../api/answers.js';
import type { MembershipChange } from '../api/types.js';
import { type Accept, apply } from './apply.js';
import { type AudienceLock, type Found, LEASE_MS } from './audience-lock.js';
import { AudienceStore } from './audience-store.js';
import { checkChange } from './change.js';
import { AudienceBusyError, AudiencesClosedError, AudienceUnfinishedError } from './errors.js';
import { stagedPrefix } from './keys.js';
import { type Named, named } from './name.js';
import { type AudienceRecord, isEstablished, reportOf, type Sync } from './record.js';
import { Staging } from './staging.js';
import { sweepStaged } from './sweep.js';
import { withdraw } from './withdraw.js';

export interface AudiencesOptions {
  readonly keyValues: KeyValueStore;
  /** Given every `identify` of a membership, up to 500 at a time. */
  readonly accept: Accept;
  /** @default the machine's */
  readonly clock?: Clock | undefined;
  /** Told what keeps a change from being done, which is tried again. @default the process is warned */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Ids of changes, each once. @default random UUIDs */
  readonly newId?: (() => string) | undefined;
  /** The most users one step changes, up to 500, as twice as many are written at once. @default 500 */
  readonly stepSize?: number | undefined;
  /** How many ids of a list are held and put in order before they are written. @default 20_000 */
  readonly runSize?: number | undefined;
}

/** How long until a change that failed half way goes on, and how often changes of processes that died are looked for. */
const RETRY_MS = 5_000;
const LOOK_MS = LEASE_MS;

const STEP_SIZE = 500;
const RUN_SIZE = 20_000;

/**
 * Who belongs to which audience. Whoever joins or leaves is told of as an `identify` with the audience's trait, `true` or
 * `false`; whoever stays is not.
 *
 * A change is put on the key-value store as a whole before anything is done about it, so that one that breaks off changes nothing; then it is
 * done in steps, and after a crash anywhere it goes on, in any process, and nobody is left out. The messages of the steps that
 * were being done are then made again, with the same ids.
 */
export class Audiences {
  readonly #keyValues: KeyValueStore;
  readonly #accept: Accept;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #audiences: AudienceStore;
  readonly #stepSize: number;
  readonly #runSize: number;
  readonly #receiving = new Set<AudienceLock>();
  readonly #applying = new Set<Promise<SyncResult>>();
  #looking: Promise<void> | undefined;
  #cancelLook: () => void = () => {};
  #isClosed = false;

  constructor(options: AudiencesOptions) {
    this.#keyValues = options.keyValues;
    this.#accept = options.accept;
    this.#clock = options.clock ?? systemClock();
    this.#onError = options.onError ?? warn;
    this.#stepSize = options.stepSize ?? STEP_SIZE;
    this.#runSize = options.runSize ?? RUN_SIZE;
    this.#audiences = new AudienceStore({
      keyValues: this.#keyValues,
      clock: this.#clock,
      newId: options.newId ?? randomUUID,
      onError: this.#onError,
    });
  }

  /**
   * Makes the list the audience's members, and the audience if there is none. The list may be of any length, in any order, and
   * name a user twice. Resolves when all of it is done.
   *
   * @throws AudienceNameError, AudienceMemberError, AudienceTraitTakenError, AudienceBusyError, AudiencesClosedError, and
   *   whatever the list throws: nothing was changed.
   * @throws AudienceUnfinishedError: all of it was taken, and will be done.
   */
  async replace(name: string, members: AsyncIterable<string> | Iterable<string>): Promise<SyncResult> {
    return this.#run(named(name), 'replace', (staging) => staging.addAll(members));
  }

  /**
   * Lets some users join and others leave, 5,000 together at most.
   *
   * @throws AudienceNotFoundError, AudienceChangeError and what `replace` throws.
   */
  async change(name: string, change: MembershipChange): Promise<SyncResult> {
    const { join, leave } = checkChange(change);
    return this.#run(named(name), 'change', async (staging) => {
      await staging.addAll(join);
      await staging.addAll(leave, false);
    });
  }

  /**
   * Lets every member leave, and forgets the audience.
   *
   * @throws AudienceNotFoundError and what `replace` throws.
   */
  async remove(name: string): Promise<SyncResult> {
    return this.#run(named(name), 'remove', async () => {});
  }

  /**
   * Lets the users leave every audience, also one that is being changed: once that is over, so that its list does not bring them back.
   *
   * @param at when that happened, in ms since 1970, for those who are told of it
   * @returns whether they are in none now; otherwise to be called again.
   */
  withdraw(userIds: readonly string[], at: number): Promise<boolean> {
    const leave = (name: string, leaving: readonly string[]): Promise<SyncResult> =>
      this.#run(named(name), 'change', (staging) => staging.addAll(leaving, false), at);
    return withdraw({ keyValues: this.#keyValues, audiences: this.#audiences, leave }, userIds);
  }

  /** Undefined when there is none of that name. @throws AudienceNameError */
  async get(name: string): Promise<AudienceReport | undefined> {
    const wanted = named(name);
    const { record } = await this.#audiences.find(wanted.trait);
    return record?.name === wanted.name && this.#audiences.isSeen(record) ? reportOf(record) : undefined;
  }

  /** All audiences, in the order of their traits. */
  async list(): Promise<AudienceReport[]> {
    const reports: AudienceReport[] = [];
    for await (const { record } of this.#audiences.all()) {
      if (record !== undefined && this.#audiences.isSeen(record)) reports.push(reportOf(record));
    }
    return reports;
  }

  /**
   * To be called once at the start: goes on with what a crash interrupted, here or in another process, gives up lists that
   * broke off, and looks for such things again every 30 s. Never throws; `onError` is told.
   */
  async resume(): Promise<void> {
    if (this.#isClosed) return;
    this.#cancelLook();
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      this.#lookIn(LOOK_MS);
    });
    await this.#looking;
  }

  /**
   * Takes no more. Lists that are being received are given up; a change that is being done stops after its current step, and any
   * process may go on with it.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelLook();
    await Promise.all([...this.#receiving].map((lock) => this.#abandon(lock)));
    await Promise.allSettled(this.#applying);
    await this.#looking;
  }

  async #run(
    who: Named,
    kind: Sync['kind'],
    stage: (staging: Staging) => Promise<void>,
    at = this.#clock.wall(),
  ): Promise<SyncResult> {
    const lock = await this.#begin(who, kind, at);
    this.#receiving.add(lock);
    try {
      await this.#stage(lock, stage);
      // Closing while the last of it was written has removed it: it must not become whole without its ids.
      this.#assertOpen();
      await lock.update(complete);
    } catch (error) {
      await this.#abandon(lock);
      throw error;
    } finally {
      this.#receiving.delete(lock);
    }
    return this.#apply(lock);
  }

  /** Takes the audience, after finishing what somebody left undone. */
  async #begin(who: Named, kind: Sync['kind'], at: number): Promise<AudienceLock> {
    for (;;) {
      this.#assertOpen();
      const found = await this.#audiences.find(who.trait);
      const known = this.#audiences.known(found, who, kind);
      if (known?.sync?.phase !== 'applying') return this.#audiences.take(found, known, who, { kind, at });
      await this.#finish(found).catch((cause) => {
        throw new AudienceBusyError(who.name, { cause });
      });
    }
  }

  async #stage(lock: AudienceLock, stage: (staging: Staging) => Promise<void>): Promise<void> {
    const { trait, sync } = lock.record;
    const staging = new Staging({
      keyValues: this.#keyValues,
      prefix: stagedPrefix(trait, sync?.id ?? ''),
      batchSize: 2 * this.#stepSize,
      runSize: this.#runSize,
      progress: (received) => {
        this.#assertOpen();
        lock.assertHeld();
        lock.received = received;
      },
    });
    try {
      await stage(staging);
      await staging.end();
    } finally {
      // So that nothing is written behind whoever cleans up.
      await staging.settled();
    }
  }

  /** Lets go of a list that is not whole. What cannot be done now is done by whoever looks next. */
  async #abandon(lock: AudienceLock): Promise<void> {
    const { trait, sync } = lock.record;
    lock.stop();
    try {
      // First this: when it fails the list may be whole after all, or somebody else's.
      await lock.update(withoutList);
      if (lock.record.sync?.phase !== 'applying') await this.#audiences.removeStaged(trait, sync?.id);
    } catch {
      this.#lookIn(LOOK_MS);
    }
  }

  async #apply(lock: AudienceLock): Promise<SyncResult> {
    const { name, trait, sync } = lock.record;
    if (sync === undefined) throw new AudienceBusyError(name);
    const options = {
      keyValues: this.#keyValues,
      accept: this.#accept,
      stepSize: this.#stepSize,
      now: () => this.#clock.wall(),
      assertOpen: () => this.#assertOpen(),
    };
    const applied = apply(options, lock, sync);
    this.#applying.add(applied);
    try {
      const result = await applied;
      lock.stop();
      await this.#audiences.removeStaged(trait, sync.id);
      return result;
    } catch (error) {
      await lock.release().catch(() => undefined);
      if (!this.#isClosed) this.#onError(error);
      this.#lookIn(RETRY_MS);
      throw new AudienceUnfinishedError(name, error);
    } finally {
      this.#applying.delete(applied);
    }
  }

  async #look(): Promise<void> {
    try {
      for await (const found of this.#audiences.all()) {
        if (this.#isClosed) return;
        await this.#finish(found).catch((error) => {
          // What it says is told already.
          if (!(error instanceof AudienceUnfinishedError)) this.#onError(error);
        });
      }
      await sweepStaged(this.#keyValues);
    } catch (error) {
      this.#onError(error);
    }
  }

  /** Does what a holder that is heard of no more has left undone. */
  async #finish(found: Found): Promise<void> {
    const { record } = found;
    if (record?.sync === undefined || this.#audiences.isHeld(record)) return;
    const lock = await this.#audiences.hold(found, record);
    if (lock === undefined) return;
    if (record.sync.phase === 'applying') await this.#apply(lock);
    else await this.#abandon(lock);
  }

  #lookIn(ms: number): void {
    this.#cancelLook();
    if (this.#isClosed) return;
    this.#cancelLook = this.#clock.after(ms, () => void this.resume());
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new AudiencesClosedError();
  }
}

const complete = (record: AudienceRecord): AudienceRecord =>
  record.sync === undefined ? record : { ...record, sync: { ...record.sync, phase: 'applying' } };

/** Unless it has become whole meanwhile: then it will be applied. */
function withoutList(record: AudienceRecord): AudienceRecord | undefined {
  if (record.sync?.phase === 'applying') return record;
  return isEstablished(record) ? { ...record, sync: undefined } : undefined;
}

const warn = (error: unknown): void => process.emitWarning(error instanceof Error ? error : String(error));
