import { expect, test } from 'vitest';
import { sourcedId } from '../../../src/delivery/event-names.js';
import { eventsIn, idChanges, placesWith } from '../../../src/ledger/attempts/id-index.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';

async function indexOf(chunks: Readonly<Record<string, readonly string[]>>) {
  const { keyValues } = memoryStorage();
  for (const [place, ids] of Object.entries(chunks)) await keyValues.write(idChanges(place, eventsIn(ids), ''));
  return keyValues;
}

test('the places of chunks with attempts for an event are found by its id', async () => {
  const keyValues = await indexOf({ p2: ['m1', 'm1'], p1: ['m1', 'm2'] });
  expect(await placesWith(keyValues, 'm1')).toEqual(['p1', 'p2']);
  expect(await placesWith(keyValues, 'm2')).toEqual(['p1']);
});

test.each(['m1', 'a/b', '100%', '//server/m1', ''])(
  'an event with the id %j is found by its id, with or without its source in front',
  async (id) => {
    const keyValues = await indexOf({ p1: [sourcedId(id, 'server')] });
    expect(await placesWith(keyValues, id)).toEqual(['p1']);
    expect(await placesWith(keyValues, sourcedId(id, 'server'))).toEqual(['p1']);
  },
);

test('a search for an unknown id reads a single page', async () => {
  const keyValues = await indexOf({ p1: ['m1'] });
  const reads: string[] = [];
  const list = keyValues.list.bind(keyValues);
  keyValues.list = (prefix, ...rest) => {
    reads.push(prefix);
    return list(prefix, ...rest);
  };
  keyValues.get = async () => expect.unreachable('no value is read');
  expect(await placesWith(keyValues, 'unknown')).toEqual([]);
  expect(reads).toHaveLength(1);
});

test('a chunk is no longer found by an event that was removed from it', async () => {
  const keyValues = await indexOf({ p1: ['m1', 'm2'] });
  await keyValues.write(idChanges('p1', eventsIn(['m1']), undefined));
  expect(await placesWith(keyValues, 'm1')).toEqual([]);
  expect(await placesWith(keyValues, 'm2')).toEqual(['p1']);
  await keyValues.write(idChanges('p1', eventsIn(['m2']), undefined));
  expect(await keyValues.list('attempt-ids/', undefined, 1)).toEqual([]);
});
