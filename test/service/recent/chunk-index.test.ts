import { expect, test } from 'vitest';
import { sourcedId } from '../../../src/delivery/event-names.js';
import { chunksWith, eventChanges, eventsIn } from '../../../src/service/recent/chunk-index.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';

const CRM = { destination: 'crm/eu', place: '1-p' };
const ADS = { destination: 'ads', place: '2-p' };

async function indexOf(...chunks: readonly (readonly [typeof CRM, readonly string[]])[]) {
  const { keyValues } = memoryStorage();
  for (const [chunk, ids] of chunks) await keyValues.write(eventChanges(chunk, [], eventsIn(ids)));
  return keyValues;
}

test('the chunks with attempts for an event are found by its id, newest first', async () => {
  const keyValues = await indexOf([ADS, ['m1', 'm1']], [CRM, ['m1', 'm2']]);
  expect(await chunksWith(keyValues, 'm1')).toEqual([CRM, ADS]);
  expect(await chunksWith(keyValues, 'm2')).toEqual([CRM]);
});

test.each(['m1', 'a/b', '100%', '//server/m1', ''])(
  'an event with the id %j is found by its id, with or without its source in front',
  async (id) => {
    const keyValues = await indexOf([CRM, [sourcedId(id, 'server')]]);
    expect(await chunksWith(keyValues, id)).toEqual([CRM]);
    expect(await chunksWith(keyValues, sourcedId(id, 'server'))).toEqual([CRM]);
  },
);

test('a search for an unknown id reads a single page', async () => {
  const keyValues = await indexOf([CRM, ['m1']]);
  const reads: string[] = [];
  const list = keyValues.list.bind(keyValues);
  keyValues.list = (prefix, ...rest) => {
    reads.push(prefix);
    return list(prefix, ...rest);
  };
  keyValues.get = async () => expect.unreachable('no value is read');
  expect(await chunksWith(keyValues, 'unknown')).toEqual([]);
  expect(reads).toHaveLength(1);
});

test('a chunk is no longer found by an event that was removed from it', async () => {
  const keyValues = await indexOf([CRM, ['m1', 'm2']]);
  await keyValues.write(eventChanges(CRM, eventsIn(['m1', 'm2']), eventsIn(['m2'])));
  expect(await chunksWith(keyValues, 'm1')).toEqual([]);
  expect(await chunksWith(keyValues, 'm2')).toEqual([CRM]);
  await keyValues.write(eventChanges(CRM, eventsIn(['m2']), []));
  expect(await keyValues.list('recent-event/', undefined, 1)).toEqual([]);
  expect(await keyValues.list('recent-events/', undefined, 1)).toEqual([]);
});
