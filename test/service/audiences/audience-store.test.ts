import { expect, test } from 'vitest';
import type { AudienceRecord } from '../../../src/service/audiences/audience-record.js';
import { allLists, findList, listOf, sweepStaged } from '../../../src/service/audiences/audience-store.js';
import { audienceKey, stagedPrefix } from '../../../src/service/audiences/keys.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';

const vips: AudienceRecord = { kind: 'audience', name: 'VIPs', trait: 'vips', members: 1, createdAt: 0, syncedAt: 0 };
const score: AudienceRecord = { ...vips, kind: 'trait', name: 'Score', trait: 'score' };

/** Makes a key-value store with these records. */
async function storeOf(...records: readonly AudienceRecord[]) {
  const { keyValues } = memoryStorage();
  await keyValues.write(records.map((record) => ({ key: audienceKey(record.trait), value: JSON.stringify(record) })));
  return keyValues;
}

test('a record is found by its trait, and returned as an audience only if its name and kind match', async () => {
  const keyValues = await storeOf(vips);
  expect(await findList(keyValues, 'vips')).toEqual({ text: JSON.stringify(vips), record: vips });
  expect(await findList(keyValues, 'others')).toBeUndefined();
  expect(await listOf(keyValues, vips)).toEqual(vips);
  expect(await listOf(keyValues, { ...vips, name: 'vips' })).toBeUndefined();
  expect(await listOf(keyValues, { ...vips, kind: 'trait' })).toBeUndefined();
});

test('all records are read in the order of their traits', async () => {
  const apes: AudienceRecord = { ...vips, name: 'Apes', trait: 'apes' };
  const keyValues = await storeOf(vips, score, apes);
  const traits: (string | undefined)[] = [];
  for await (const { record } of allLists(keyValues)) traits.push(record.trait);
  expect(traits).toEqual(['apes', 'score', 'vips']);
});

test('the sweep removes the staged lists of changes that are over, and nothing else', async () => {
  const none = { received: 0, applied: 0, joined: 0, changed: 0, left: 0 };
  const sync = { id: 's1', kind: 'replace', phase: 'receiving', at: 0, ...none } as const;
  const keyValues = await storeOf({ ...vips, sync });
  const prefixes = [stagedPrefix('vips', 's0'), stagedPrefix('vips', 's1'), stagedPrefix('gone', 's7')];
  await keyValues.write(prefixes.map((prefix) => ({ key: `${prefix}ann`, value: 'true\n' })));
  await sweepStaged(keyValues);
  const left = await keyValues.list('staged/', undefined, 10);
  expect(left.map(({ key }) => key)).toEqual([`${stagedPrefix('vips', 's1')}ann`]);
});
