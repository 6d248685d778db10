import type { Clock } from '../../base/time/clock.js';
import { entriesOf, type KeyValueStore } from '../../store/key-value-store.js';
import { type Found, foundIn } from '../jobs/held-record.js';
import { SyncBusyError, SyncNotFoundError, TraitTakenError } from './audience-errors.js';
import { type AudienceRecord, isEstablished, type Sync } from './audience-record.js';
import { NONE_CHANGED } from './difference.js';
import { AUDIENCES, audienceKey, STAGED, stagedPrefix } from './keys.js';
import { AFTER_ALL } from './merged-runs.js';
import type { Kind, Named } from './named.js';

export type FoundAudience = Found<AudienceRecord>;

export interface AudienceStoreOptions {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  /** Ids of changes, each once. */
  newId(): string;
  onError(error: unknown): void;
}

/** The records of audiences, and what is staged for their changes. */
export class AudienceStore {
  readonly #options: AudienceStoreOptions;

  constructor(options: AudienceStoreOptions) {
    this.#options = options;
  }

  /** Reads the record under the trait, whether or not it is an audience yet. */
  async find(trait: string): Promise<FoundAudience> {
    const [text] = await this.#options.keyValues.get([audienceKey(trait)]);
    return foundIn(text);
  }

  /** Reads the records of all traits, in the order of the traits. */
  async *all(): AsyncGenerator<FoundAudience, void, undefined> {
    for await (const { value } of entriesOf(this.#options.keyValues, AUDIENCES)) yield foundIn(value);
  }

  /** The records of a kind that are seen, in the order of their traits. */
  async allSeen(kind: Kind): Promise<AudienceRecord[]> {
    const records: AudienceRecord[] = [];
    for await (const { record } of this.all()) {
      if (record?.kind === kind && this.isSeen(record)) records.push(record);
    }
    return records;
  }

  /** The record of that name, where it is seen. */
  async seen(audience: Named): Promise<AudienceRecord | undefined> {
    const { record } = await this.find(audience.trait);
    return record !== undefined && isSame(record, audience) && this.isSeen(record) ? record : undefined;
  }

  /** False for a first list that broke off, though its record is still there. */
  isSeen(record: AudienceRecord): boolean {
    return isEstablished(record) || this.isHeld(record);
  }

  isHeld({ sync, holder }: AudienceRecord): boolean {
    return sync !== undefined && holder !== undefined && holder.until > this.#options.clock.wall();
  }

  /**
   * The existing audience, when that change may begin.
   *
   * @throws SyncNotFoundError, TraitTakenError, SyncBusyError
   */
  known({ record }: FoundAudience, audience: Named, kind: Sync['kind']): AudienceRecord | undefined {
    if (record === undefined || !this.isSeen(record)) {
      if (kind !== 'replace') throw new SyncNotFoundError(audience);
      return undefined;
    }
    if (!isSame(record, audience)) throw new TraitTakenError(audience, record);
    if (this.isHeld(record)) throw new SyncBusyError(audience);
    return record;
  }

  /** Makes the record with which a change begins, of an audience that is known or that is made by it. */
  beginning(known: AudienceRecord | undefined, audience: Named, change: Pick<Sync, 'kind' | 'at'>): AudienceRecord {
    const { clock, newId } = this.#options;
    const none = { received: 0, applied: 0, ...NONE_CHANGED };
    const sync: Sync = { id: newId(), ...change, phase: 'receiving', ...none };
    return { ...(known ?? { ...audience, members: 0, createdAt: clock.wall() }), sync };
  }

  /** Removes the entries of a list. A later sweep removes those that cannot be removed now. */
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

/** True when the record has that name and kind; another one may have the same trait. */
export const isSame = (record: Named, { kind, name }: Pick<Named, 'kind' | 'name'>): boolean =>
  record.kind === kind && record.name === name;
