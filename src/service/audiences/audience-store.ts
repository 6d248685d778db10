import type { KeyValueStore } from '../../store/key-value-store.js';
import { type FoundRecord, recordAt, recordsIn } from '../jobs/held-record.js';
import type { AudienceRecord } from './audience-record.js';
import { AFTER_ALL, AUDIENCES, audienceKey, STAGED, stagedPrefix } from './keys.js';
import type { NamedList } from './named.js';

/** Reads the record stored under the trait, whatever its name and kind. */
export const findList = (keyValues: KeyValueStore, trait: string): Promise<FoundRecord<AudienceRecord> | undefined> =>
  recordAt(keyValues, audienceKey(trait));

/** Reads the records of all audiences and computed traits, in the order of their traits. */
export const allLists = (keyValues: KeyValueStore): AsyncGenerator<FoundRecord<AudienceRecord>, void, undefined> =>
  recordsIn(keyValues, AUDIENCES);

export async function listOf(keyValues: KeyValueStore, list: NamedList): Promise<AudienceRecord | undefined> {
  const found = await findList(keyValues, list.trait);
  return found !== undefined && isSame(found.record, list) ? found.record : undefined;
}

/**
 * Removes the staged lists of changes that are over. It reads a staged id before the record, so if the record does not name that
 * id, the change is over: ids are never used twice.
 */
export async function sweepStaged(keyValues: KeyValueStore): Promise<void> {
  for (let after: string | undefined; ; ) {
    const [entry] = await keyValues.list(STAGED, after, 1);
    if (entry === undefined) return;
    const [trait = '', sync = ''] = entry.key.slice(STAGED.length).split('/').map(decodeURIComponent);
    const found = await findList(keyValues, trait);
    const prefix = stagedPrefix(trait, sync);
    if (found?.record.sync?.id !== sync) await keyValues.removeAll(prefix);
    after = prefix + AFTER_ALL;
  }
}

/** True if the record has that name and kind. A record with another name or kind may have the same trait. */
export const isSame = (record: NamedList, { kind, name }: NamedList): boolean =>
  record.kind === kind && record.name === name;
