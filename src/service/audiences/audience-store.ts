import { entriesOf, type KeyValueStore } from '../../store/key-value-store.js';
import { type FoundRecord, foundIn } from '../jobs/held-record.js';
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
  async find(trait: string): Promise<FoundRecord<AudienceRecord>> {
    const [text] = await this.#keyValues.get([audienceKey(trait)]);
    return foundIn(text);
  }

  /** Reads the records of all traits, in the order of the traits. */
  async *all(): AsyncGenerator<FoundRecord<AudienceRecord>, void, undefined> {
    for await (const { value } of entriesOf(this.#keyValues, AUDIENCES)) yield foundIn(value);
  }

  async get(audience: NamedList): Promise<AudienceRecord | undefined> {
    const { record } = await this.find(audience.trait);
    return record !== undefined && isSame(record, audience) ? record : undefined;
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
      const { record } = await this.find(trait);
      const prefix = stagedPrefix(trait, sync);
      if (record?.sync?.id !== sync) await this.#keyValues.removeAll(prefix);
      after = prefix + AFTER_ALL;
    }
  }
}

/** True if the record has that name and kind. A record with another name or kind may have the same trait. */
export const isSame = (record: NamedList, { kind, name }: NamedList): boolean =>
  record.kind === kind && record.name === name;
