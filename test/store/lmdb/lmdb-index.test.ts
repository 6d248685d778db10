import { expect, onTestFinished, test } from 'vitest';
import { LmdbEnvironment } from '../../../src/store/lmdb/lmdb-environment.js';
import { LmdbQueue, type QueueIndex } from '../../../src/store/lmdb/lmdb-index.js';
import { newFolder } from '../../cli/files.js';

const [before, queue, behind] = [1, 2, 3].map((number) => Buffer.from([number])) as [Buffer, Buffer, Buffer];

async function queueOf(ids: readonly string[]): Promise<LmdbQueue> {
  const environment = await LmdbEnvironment.open({ path: await newFolder(), lock: 'alone' });
  onTestFinished(() => environment.close());
  const index: QueueIndex = environment.db.openDB({ name: 'waiting', encoding: 'binary', keyEncoding: 'binary' });
  await environment.commits.run(() => {
    for (const prefix of [before, behind]) new LmdbQueue(index, prefix).add({ at: 9, id: 'other' });
    for (const [at, id] of ids.entries()) new LmdbQueue(index, queue).add({ at, id });
  });
  return new LmdbQueue(index, queue);
}

test('listing the keys of a queue excludes those of neighbouring queues', async () => {
  const found = await queueOf(['a', 'b', 'c']);
  expect(found.list(undefined, 10).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect(found.list({ at: 0, id: 'a' }, 1)).toEqual([{ at: 1, id: 'b' }]);
  expect([found.has({ at: 1, id: 'b' }), found.has({ at: 9, id: 'other' })]).toEqual([true, false]);
});

test('the last key of a queue is found beside other queues, and is undefined for an empty one', async () => {
  expect((await queueOf(['a', 'b'])).last()).toEqual({ at: 1, id: 'b' });
  expect((await queueOf([])).last()).toBeUndefined();
});
