import type { Clock } from '../../base/time/clock.js';
import { type HeldRecord, JobLostError } from '../jobs/held-record.js';
import { JobRunner } from '../jobs/job-runner.js';
import { type Applied, type ApplyOptions, apply } from './apply.js';
import { SyncBusyError, SyncsClosedError, SyncUnfinishedError } from './audience-errors.js';
import { type AudienceRecord, isEstablished, type Sync } from './audience-record.js';
import type { AudienceStore, FoundAudience } from './audience-store.js';
import { audienceKey, stagedPrefix } from './keys.js';
import type { Kind, Named } from './named.js';
import { Staging } from './staging.js';

export interface SyncsOptions extends Omit<ApplyOptions, 'now' | 'assertOpen'> {
  readonly audiences: AudienceStore;
  readonly clock: Clock;
  /** The number of users of a list that are held and sorted before they are written. */
  readonly runSize: number;
  onError(error: unknown): void;
}

export interface SyncRequest {
  readonly audience: Named;
  readonly kind: Sync['kind'];
  readonly at: number;
  /** Stages the users that the change names. */
  stage(staging: Staging): Promise<void>;
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
    const { keyValues, clock, onError } = options;
    this.#jobs = new JobRunner({
      ...{ keyValues, clock, onError },
      keyOf: ({ trait }) => audienceKey(trait),
      unfinished: () => this.#unfinished(),
      isFinished: ({ sync }) => sync === undefined,
      // Each holds many entries.
      inTurn: true,
      carryOut: (held) => this.#goOn(held),
    });
  }

  async run(request: SyncRequest): Promise<Applied> {
    const { audience, kind, at } = request;
    const { audiences } = this.#options;
    for (;;) {
      this.#assertOpen(audience.kind);
      const found = await audiences.find(audience.trait);
      const known = audiences.known(found, audience, kind);
      if (known?.sync?.phase === 'applying') await this.#finish(found, known);
      else {
        const record = audiences.beginning(known, audience, { kind, at });
        const taken = await this.#jobs.take(found, record, async (held, signal) => {
          await audiences.removeStaged(audience.trait, found.record?.sync?.id);
          return this.#carryOut(held, signal, request);
        });
        if (taken === undefined) throw new SyncBusyError(audience);
        return taken.ended;
      }
    }
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
  async *#unfinished(): AsyncGenerator<FoundAudience, void, undefined> {
    const { audiences } = this.#options;
    for await (const found of audiences.all()) {
      if (found.record?.sync !== undefined) yield found;
    }
    await audiences.sweepStaged();
  }

  /** Finishes a change that was left half way, so that another can begin. */
  async #finish(found: FoundAudience, record: AudienceRecord): Promise<void> {
    const taken = await this.#jobs.take(found, record, (held) => this.#goOn(held));
    await taken?.ended.catch((cause) => {
      this.#options.onError(cause);
      throw new SyncBusyError(record, { cause });
    });
  }

  /** Finishes a change that was left, or gives up its list. */
  async #goOn(held: HeldRecord<AudienceRecord>): Promise<void> {
    if (held.record.sync?.phase !== 'applying') return this.#abandon(held);
    await this.#apply(held).catch((error) => {
      if (!this.#isClosed) throw error;
    });
  }

  async #carryOut(
    held: HeldRecord<AudienceRecord>,
    signal: AbortSignal,
    { audience, stage }: SyncRequest,
  ): Promise<Applied> {
    try {
      await this.#stage(held, signal, stage);
      this.#assertOpen(audience.kind);
      await held.update(whole);
    } catch (error) {
      // A later look does what cannot be done now.
      await this.#abandon(held).catch(() => {});
      throw error instanceof JobLostError ? new SyncBusyError(audience) : error;
    }
    return this.#apply(held).catch((error) => {
      if (!this.#isClosed) this.#options.onError(error);
      throw new SyncUnfinishedError(held.record, error);
    });
  }

  async #stage(held: HeldRecord<AudienceRecord>, signal: AbortSignal, stage: SyncRequest['stage']): Promise<void> {
    const { keyValues, stepSize, runSize } = this.#options;
    const { kind, trait, sync } = held.record;
    this.#assertOpen(kind);
    const staging = new Staging({
      kind,
      keyValues,
      prefix: stagedPrefix(trait, sync?.id ?? ''),
      batchSize: 2 * stepSize,
      runSize,
      progress: (received) => {
        this.#assertOpen(kind);
        held.assertHeld();
        held.note((record) => withSync(record, { received }));
      },
    });
    try {
      // The end of this process does not wait for a list that does not come.
      await Promise.race([stage(staging), aborted(signal)]);
      this.#assertOpen(kind);
      await staging.end();
    } finally {
      // A write that came after the cleaning up would stay.
      await staging.settled();
    }
  }

  /** Gives up a list that is not whole. */
  async #abandon(held: HeldRecord<AudienceRecord>): Promise<void> {
    const { trait, sync } = held.record;
    // This comes first, because it fails when the list has become whole after all, or another process has taken over.
    await held.update(withoutList);
    if (held.record.sync?.phase !== 'applying') await this.#options.audiences.removeStaged(trait, sync?.id);
  }

  async #apply(held: HeldRecord<AudienceRecord>): Promise<Applied> {
    const { audiences, clock } = this.#options;
    const { kind, trait, sync } = held.record;
    if (sync === undefined) throw new SyncBusyError(held.record);
    const options = { ...this.#options, now: () => clock.wall(), assertOpen: () => this.#assertOpen(kind) };
    const applied = await apply(options, held, sync);
    await audiences.removeStaged(trait, sync.id);
    return applied;
  }

  #assertOpen(kind: Kind): void {
    if (this.#isClosed) throw new SyncsClosedError(kind);
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

const withSync = (record: AudienceRecord, change: Partial<Sync>): AudienceRecord =>
  record.sync === undefined ? record : { ...record, sync: { ...record.sync, ...change } };

const whole = (record: AudienceRecord): AudienceRecord => withSync(record, { phase: 'applying' });

/** Gives up a list, unless it has become whole meanwhile: then it will be applied. */
function withoutList(record: AudienceRecord): AudienceRecord | undefined {
  if (record.sync?.phase === 'applying') return record;
  return isEstablished(record) ? { ...record, sync: undefined } : undefined;
}
