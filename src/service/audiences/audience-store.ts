import type { KeyValueStore } from '../../store/key-value-store.js';
import { type FoundRecord, recordAt, recordsIn } from '../jobs/held-record.js';
import type { AudienceRecord } from './audience-record.js';
import { AFTER_ALL, AUDIENCES, audienceKey, STAGED, stagedPrefix } from './keys.js';
import type { NamedList } from './named.js';

/** Reads the records of audiences and computed traits, and removes what is left of their staged lists. */
export class AudienceStore {
  readonly #keyValues: KeyValueStore;

  constructor(keyValues: KeyValueStore) {
    this.#keyValues = keyValues;
  }

  /** Reads the record stored under the trait, whatever its name and kind. */
  find(trait: string): Promise<FoundRecord<AudienceRecord> | undefined> {
    return recordAt(this.#keyValues, audienceKey(trait));
  }

  /** Reads the records of all traits, in the order of the traits. */
  all(): AsyncGenerator<FoundRecord<AudienceRecord>, void, undefined> {
    return recordsIn(this.#keyValues, AUDIENCES);
  }

  async get(audience: NamedList): Promise<AudienceRecord | undefined> {
    const found = await this.find(audience.trait);
    return found !== undefined && isSame(found.record, audience) ? found.record : undefined;
  }

  /**
   * Removes the staged lists of changes that are over. It reads a staged id before the record, so if the record does not name
   * that id, the change is over: ids are never used twice.
   */
  async sweepStaged(): Promise<void> {
    for (let after: string | undefined; ; ) {
      const [entry] = await this.#keyValues.list(STAGED, after, 1);
      if (entry === undefined) return;
      const [trait = '', sync = ''] = entry.key.slice(STAGED.length).split('/').map(decodeURIComponent);
      const found = await this.find(trait);
      const prefix = stagedPrefix(trait, sync);
      if (found?.record.sync?.id !== sync) await this.#keyValues.removeAll(prefix);
      after = prefix + AFTER_ALL;
    }
  }
}

/** True if the record has that name and kind. A record with another name or kind may have the same trait. */
export const isSame = (record: NamedList, { kind, name }: NamedList): boolean =>
  record.kind === kind && record.name === name;
