import { entriesOf, type KeyValueStore } from '../../store/key-value-store.js';
import { type Found, foundIn } from '../jobs/held-record.js';
import type { AudienceRecord } from './audience-record.js';
import { AFTER_ALL, AUDIENCES, audienceKey, STAGED, stagedPrefix } from './keys.js';
import type { Named } from './named.js';

/** The records of audiences and computed traits, and what is staged for their changes. */
export class AudienceStore {
  readonly #keyValues: KeyValueStore;

  constructor(keyValues: KeyValueStore) {
    this.#keyValues = keyValues;
  }

  /** Reads the record under the trait, of whatever name and kind. */
  async find(trait: string): Promise<Found<AudienceRecord>> {
    const [text] = await this.#keyValues.get([audienceKey(trait)]);
    return foundIn(text);
  }

  /** Reads the records of all traits, in the order of the traits. */
  async *all(): AsyncGenerator<Found<AudienceRecord>, void, undefined> {
    for await (const { value } of entriesOf(this.#keyValues, AUDIENCES)) yield foundIn(value);
  }

  async get(audience: Named): Promise<AudienceRecord | undefined> {
    const { record } = await this.find(audience.trait);
    return record !== undefined && isSame(record, audience) ? record : undefined;
  }

  /**
   * Removes what was staged for changes that are over. The staged ids are read before the record: a change that the record no
   * longer names had begun by then, and its id never comes again.
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

/** True when the record has that name and kind; another one may have the same trait. */
export const isSame = (record: Named, { kind, name }: Named): boolean => record.kind === kind && record.name === name;
