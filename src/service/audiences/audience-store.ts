import type { Clock } from '../../clock.js';
import { entriesOf, type KeyValueStore } from '../../store/key-value-store.js';
import { type Found, foundIn, HeldRecord, type HoldOptions } from '../jobs/held-record.js';
import { AudienceBusyError, AudienceNotFoundError, AudienceTraitTakenError } from './errors.js';
import { AUDIENCES, audienceKey, STAGED, stagedPrefix } from './keys.js';
import { AFTER_ALL } from './merged-runs.js';
import type { Named } from './name.js';
import { type AudienceRecord, isEstablished, type Sync } from './record.js';

export type FoundAudience = Found<AudienceRecord>;

/** An audience that this process is changing. */
export type HeldAudience = HeldRecord<AudienceRecord>;

export interface AudienceStoreOptions {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  /** Ids of changes, each once. */
  newId(): string;
  onError(error: unknown): void;
}

/** Which audiences there are, and the lease on each that is being changed. */
export class AudienceStore {
  readonly #options: AudienceStoreOptions;
  readonly #hold: HoldOptions<AudienceRecord>;

  constructor(options: AudienceStoreOptions) {
    this.#options = options;
    this.#hold = { ...options, leased: withLease, lost: ({ name }) => new AudienceBusyError(name) };
  }

  /** What the key-value store has under the trait, whether or not it is an audience yet. */
  async find(trait: string): Promise<FoundAudience> {
    const [text] = await this.#options.keyValues.get([audienceKey(trait)]);
    return foundIn(text);
  }

  /** The same of every trait, in their order. */
  async *all(): AsyncGenerator<FoundAudience, void, undefined> {
    for await (const { value } of entriesOf(this.#options.keyValues, AUDIENCES)) yield foundIn(value);
  }

  /** False for a first list that broke off, though its record is still there. */
  isSeen(record: AudienceRecord): boolean {
    return isEstablished(record) || this.isHeld(record);
  }

  isHeld({ sync }: AudienceRecord): boolean {
    return sync !== undefined && sync.leaseUntil > this.#options.clock.wall();
  }

  /**
   * The existing audience, when that change may begin.
   *
   * @throws AudienceNotFoundError, AudienceTraitTakenError, AudienceBusyError
   */
  known({ record }: FoundAudience, { name, trait }: Named, kind: Sync['kind']): AudienceRecord | undefined {
    if (record === undefined || !this.isSeen(record)) {
      if (kind !== 'replace') throw new AudienceNotFoundError(name);
      return undefined;
    }
    if (record.name !== name) throw new AudienceTraitTakenError(name, trait, record.name);
    if (this.isHeld(record)) throw new AudienceBusyError(name);
    return record;
  }

  /**
   * Begins a change, of an audience that is known or that is made by it.
   *
   * @throws AudienceBusyError when another call was faster.
   */
  async begin(
    found: FoundAudience,
    known: AudienceRecord | undefined,
    audience: Named,
    change: Pick<Sync, 'kind' | 'at'>,
  ): Promise<HeldAudience> {
    const { clock, newId } = this.#options;
    const now = clock.wall();
    const none = { received: 0, applied: 0, joined: 0, left: 0 };
    const sync: Sync = { id: newId(), ...change, phase: 'receiving', leaseUntil: now, ...none };
    const record = { ...(known ?? { ...audience, members: 0, createdAt: now }), sync };
    const held = await this.hold(found, record);
    if (held === undefined) throw new AudienceBusyError(audience.name);
    await this.removeStaged(audience.trait, found.record?.sync?.id);
    return held;
  }

  /** Undefined when it is no longer as it was found. */
  hold(found: FoundAudience, record: AudienceRecord): Promise<HeldAudience | undefined> {
    return HeldRecord.take(this.#hold, audienceKey(record.trait), found, record);
  }

  /** What cannot be removed now is removed by a later sweep. */
  async removeStaged(trait: string, sync: string | undefined): Promise<void> {
    if (sync === undefined) return;
    const { keyValues, onError } = this.#options;
    await keyValues.removeAll(stagedPrefix(trait, sync)).catch(onError);
  }

  /**
   * Removes what was staged for changes that are over. The staged ids are read before the record: a change that the record no
   * longer names had begun by then, and its id never comes again.
   */
  async sweepStaged(): Promise<void> {
    const { keyValues } = this.#options;
    for (let after: string | undefined; ; ) {
      const [entry] = await keyValues.list(STAGED, after, 1);
      if (entry === undefined) return;
      const [trait = '', sync = ''] = entry.key.slice(STAGED.length).split('/').map(decodeURIComponent);
      const { record } = await this.find(trait);
      const prefix = stagedPrefix(trait, sync);
      if (record?.sync?.id !== sync) await keyValues.removeAll(prefix);
      after = prefix + AFTER_ALL;
    }
  }
}

const withLease = (record: AudienceRecord, leaseUntil: number): AudienceRecord =>
  record.sync === undefined ? record : { ...record, sync: { ...record.sync, leaseUntil } };
