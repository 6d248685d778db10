import { expect, onTestFinished, test } from 'vitest';
import { LmdbEnvironment } from '../../../src/store/lmdb/lmdb-environment.js';
import { lastKey, listKeys, type QueueIndex } from '../../../src/store/lmdb/lmdb-index.js';
import { encodeQueueKey } from '../../../src/store/queue-key.js';
import { newFolder } from '../../cli/files.js';

const [before, queue, behind] = [1, 2, 3].map((number) => Buffer.from([number])) as [Buffer, Buffer, Buffer];

async function indexOf(ids: readonly string[]): Promise<QueueIndex> {
  const environment = await LmdbEnvironment.open({ path: await newFolder(), lock: 'alone' });
  onTestFinished(() => environment.close());
  const index: QueueIndex = environment.db.openDB({ name: 'waiting', encoding: 'binary', keyEncoding: 'binary' });
  await environment.commits.run(() => {
    for (const prefix of [before, behind])
      void index.put(encodeQueueKey(prefix, { at: 9, id: 'other' }), Buffer.alloc(0));
    for (const [at, id] of ids.entries()) void index.put(encodeQueueKey(queue, { at, id }), Buffer.alloc(0));
  });
  return index;
}

test('listing the keys of a queue excludes those of neighbouring queues', async () => {
  const index = await indexOf(['a', 'b', 'c']);
  expect(listKeys(index, queue, undefined, 10).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect(listKeys(index, queue, { at: 0, id: 'a' }, 1)).toEqual([{ at: 1, id: 'b' }]);
});

test('the last key of a queue is found beside other queues, and is undefined for an empty one', async () => {
  expect(lastKey(await indexOf(['a', 'b']), queue)).toEqual({ at: 1, id: 'b' });
  expect(lastKey(await indexOf([]), queue)).toBeUndefined();
});
