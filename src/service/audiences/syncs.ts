import type { Clock } from '../../base/time/clock.js';
import { LEASE_MS } from '../jobs/held-record.js';
import { type Applied, type ApplyOptions, apply } from './apply.js';
import { SyncBusyError, SyncsClosedError, SyncUnfinishedError } from './audience-errors.js';
import { type AudienceRecord, isEstablished, type Sync } from './audience-record.js';
import type { AudienceStore, FoundAudience, HeldAudience } from './audience-store.js';
import { stagedPrefix } from './keys.js';
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

/** A change that failed half way rests for this long, and changes of dead processes are looked for this often, in ms. */
const RETRY_MS = 5_000;
const LOOK_MS = LEASE_MS;

/**
 * Changes audiences and computed traits. All of a change is staged on the key-value store before any of it is applied, so one that breaks off
 * changes nothing. Then it is applied in steps, and after a crash any process goes on with it. The messages of the steps that
 * were being done are made again, with the same ids.
 */
export class Syncs {
  readonly #options: SyncsOptions;
  readonly #receiving = new Set<HeldAudience>();
  readonly #applying = new Set<Promise<Applied>>();
  #looking: Promise<void> | undefined;
  #cancelLook: () => void = () => {};
  #isClosed = false;

  constructor(options: SyncsOptions) {
    this.#options = options;
  }

  async run(request: SyncRequest): Promise<Applied> {
    const held = await this.#begin(request);
    this.#receiving.add(held);
    try {
      await this.#stage(held, request);
      // `close` may have removed staged ids meanwhile: the change must not become whole without them.
      this.#assertOpen(request.audience.kind);
      await held.update(whole);
    } catch (error) {
      await this.#abandon(held);
      throw error;
    } finally {
      this.#receiving.delete(held);
    }
    return this.#apply(held);
  }

  /** Finishes what a crash interrupted, now and every 30 s. */
  async resume(): Promise<void> {
    if (this.#isClosed) return;
    this.#cancelLook();
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      this.#lookIn(LOOK_MS);
    });
    await this.#looking;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelLook();
    await Promise.all([...this.#receiving].map((held) => this.#abandon(held)));
    await Promise.allSettled(this.#applying);
    await this.#looking;
  }

  /** Takes the audience, after finishing a change that was left half way. */
  async #begin({ audience, kind, at }: SyncRequest): Promise<HeldAudience> {
    const { audiences } = this.#options;
    for (;;) {
      this.#assertOpen(audience.kind);
      const found = await audiences.find(audience.trait);
      const known = audiences.known(found, audience, kind);
      if (known?.sync?.phase !== 'applying') return audiences.begin(found, known, audience, { kind, at });
      await this.#finish(found).catch((cause) => {
        throw new SyncBusyError(audience, { cause });
      });
    }
  }

  async #stage(held: HeldAudience, { stage }: SyncRequest): Promise<void> {
    const { keyValues, stepSize, runSize } = this.#options;
    const { kind, trait, sync } = held.record;
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
      await stage(staging);
      await staging.end();
    } finally {
      // A write that came after the cleaning up would stay.
      await staging.settled();
    }
  }

  /** Gives up a list that is not whole. A later look does what cannot be done now. */
  async #abandon(held: HeldAudience): Promise<void> {
    const { trait, sync } = held.record;
    held.stop();
    try {
      // This comes first, because it fails when the list has become whole after all, or another process has taken over.
      await held.update(withoutList);
      if (held.record.sync?.phase !== 'applying') await this.#options.audiences.removeStaged(trait, sync?.id);
    } catch {
      this.#lookIn(LOOK_MS);
    }
  }

  async #apply(held: HeldAudience): Promise<Applied> {
    const { audiences, clock, onError } = this.#options;
    const { kind, trait, sync } = held.record;
    if (sync === undefined) throw new SyncBusyError(held.record);
    const options = { ...this.#options, now: () => clock.wall(), assertOpen: () => this.#assertOpen(kind) };
    const applied = apply(options, held, sync);
    this.#applying.add(applied);
    try {
      const result = await applied;
      held.stop();
      await audiences.removeStaged(trait, sync.id);
      return result;
    } catch (error) {
      await held.release().catch(() => undefined);
      if (!this.#isClosed) onError(error);
      this.#lookIn(RETRY_MS);
      throw new SyncUnfinishedError(held.record, error);
    } finally {
      this.#applying.delete(applied);
    }
  }

  async #look(): Promise<void> {
    const { audiences, onError } = this.#options;
    try {
      for await (const found of audiences.all()) {
        if (this.#isClosed) return;
        await this.#finish(found).catch((error) => {
          // Its cause is reported already.
          if (!(error instanceof SyncUnfinishedError)) onError(error);
        });
      }
      await audiences.sweepStaged();
    } catch (error) {
      onError(error);
    }
  }

  /** Finishes or gives up a change whose lease is over. */
  async #finish(found: FoundAudience): Promise<void> {
    const { audiences } = this.#options;
    const { record } = found;
    if (record?.sync === undefined || audiences.isHeld(record)) return;
    const held = await audiences.hold(found, record);
    if (held === undefined) return;
    if (record.sync.phase === 'applying') await this.#apply(held);
    else await this.#abandon(held);
  }

  #lookIn(ms: number): void {
    this.#cancelLook();
    if (this.#isClosed) return;
    this.#cancelLook = this.#options.clock.after(ms, () => void this.resume());
  }

  #assertOpen(kind: Kind): void {
    if (this.#isClosed) throw new SyncsClosedError(kind);
  }
}

const withSync = (record: AudienceRecord, change: Partial<Sync>): AudienceRecord =>
  record.sync === undefined ? record : { ...record, sync: { ...record.sync, ...change } };

const whole = (record: AudienceRecord): AudienceRecord => withSync(record, { phase: 'applying' });

/** Gives up a list, unless it has become whole meanwhile: then it will be applied. */
function withoutList(record: AudienceRecord): AudienceRecord | undefined {
  if (record.sync?.phase === 'applying') return record;
  return isEstablished(record) ? { ...record, sync: undefined } : undefined;
}
