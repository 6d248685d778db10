import type { Clock } from '../../clock.js';
import { entriesOf } from '../../store/entries.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import { AudienceLock, type Found, find, foundIn } from './audience-lock.js';
import { AudienceBusyError, AudienceNotFoundError, AudienceTraitTakenError } from './errors.js';
import { AUDIENCES, stagedPrefix } from './keys.js';
import type { Named } from './name.js';
import { type AudienceRecord, isEstablished, isHeld, type Sync } from './record.js';

export interface AudienceStoreOptions {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  /** Ids of changes, each once. */
  newId(): string;
  onError(error: unknown): void;
}

/** Which audiences there are, and who holds one to change it. */
export class AudienceStore {
  readonly #options: AudienceStoreOptions;

  constructor(options: AudienceStoreOptions) {
    this.#options = options;
  }

  /** What the key-value store has under the trait, whether or not it is an audience yet. */
  find(trait: string): Promise<Found> {
    return find(this.#options.keyValues, trait);
  }

  /** The same of every trait, in their order. */
  async *all(): AsyncGenerator<Found, void, undefined> {
    for await (const { value } of entriesOf(this.#options.keyValues, AUDIENCES)) yield foundIn(value);
  }

  /** A first list that broke off is nothing, though its record is still there. */
  isSeen(record: AudienceRecord): boolean {
    return isEstablished(record) || this.isHeld(record);
  }

  isHeld(record: AudienceRecord): boolean {
    return isHeld(record, this.#options.clock.wall());
  }

  /**
   * The audience that there is, when that change may begin.
   *
   * @throws AudienceNotFoundError, AudienceTraitTakenError, AudienceBusyError
   */
  known({ record }: Found, { name, trait }: Named, kind: Sync['kind']): AudienceRecord | undefined {
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
   * @throws AudienceBusyError when somebody else was faster.
   */
  async take(
    found: Found,
    known: AudienceRecord | undefined,
    who: Named,
    change: Pick<Sync, 'kind' | 'at'>,
  ): Promise<AudienceLock> {
    const now = this.#options.clock.wall();
    const record = { ...(known ?? { ...who, members: 0, createdAt: now }), sync: this.#newSync(change, now) };
    const lock = await this.hold(found, record);
    if (lock === undefined) throw new AudienceBusyError(who.name);
    await this.removeStaged(who.trait, found.record?.sync?.id);
    return lock;
  }

  /** Undefined when it is no longer as it was found. */
  hold(found: Found, record: AudienceRecord): Promise<AudienceLock | undefined> {
    return AudienceLock.take(this.#options, found, record);
  }

  /** What is left of it can be swept up later. */
  async removeStaged(trait: string, sync: string | undefined): Promise<void> {
    if (sync === undefined) return;
    const { keyValues, onError } = this.#options;
    await keyValues.removeAll(stagedPrefix(trait, sync)).catch(onError);
  }

  #newSync({ kind, at }: Pick<Sync, 'kind' | 'at'>, now: number): Sync {
    const nothingYet = { received: 0, applied: 0, joined: 0, left: 0 };
    return { id: this.#options.newId(), kind, phase: 'receiving', at, leaseUntil: now, ...nothingYet };
  }
}
