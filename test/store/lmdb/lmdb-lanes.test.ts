import { expect, onTestFinished, test } from 'vitest';
import { LmdbEnvironment } from '../../../src/store/lmdb/lmdb-environment.js';
import { LmdbLanes } from '../../../src/store/lmdb/lmdb-lanes.js';
import { newFolder } from '../../cli/files.js';

async function open() {
  const environment = await LmdbEnvironment.open({ path: await newFolder(), lock: 'alone' });
  onTestFinished(() => environment.close());
  const options = { name: 'lanes', encoding: 'binary', keyEncoding: 'binary' } as const;
  const index = environment.db.openDB<Uint8Array, Uint8Array>(options);
  const fills: string[] = [];
  const { commits } = environment;
  const lanesOf = () => new LmdbLanes({ commits, index, fill: () => void fills.push('filled') });
  const setHead = (lanes: LmdbLanes, name: string, id: string) =>
    commits.run(() => {
      lanes.lane(name).head = id;
    });
  return { commits, index, fills, lanesOf, setHead };
}

const fail = (): never => {
  throw new Error('no');
};

test('a lane that nothing waits behind is not in the index until the lanes are closed', async () => {
  const { commits, index, fills, lanesOf, setHead } = await open();
  const lanes = lanesOf();
  await setHead(lanes, 'ann', 'm1');
  expect(index.getKeysCount()).toBe(1);
  await lanes.close();
  expect([...index.getKeys()].map((key) => Buffer.from(key).toString('latin1'))).toEqual([`ann${'\0'.repeat(8)}m1`]);
  const again = lanesOf();
  const { result } = await commits.run(() => again.lane('ann').head);
  expect([result, fills]).toEqual(['m1', []]);
});

test('the index is filled anew when lanes before were never closed', async () => {
  const { commits, fills, lanesOf, setHead } = await open();
  const [dead, next] = [lanesOf(), lanesOf()];
  await setHead(dead, 'ann', 'm1');
  await commits.run(() => next.lane('ann'));
  expect(fills).toEqual(['filled']);
});

test('a transaction that fails leaves lanes as they were, also those that were new, dropped or closed in it', async () => {
  const { commits, lanesOf } = await open();
  const lanes = lanesOf();
  await commits.run(() => {
    lanes.lane('ann').head = 'm1';
    lanes.lane('bob').head = 'm2';
  });
  await expect(
    commits.run(() => {
      lanes.lane('ann').head = 'other';
      lanes.lane('eve').head = 'new';
      lanes.lane('bob').head = undefined;
      lanes.drop('bob');
      fail();
    }),
  ).rejects.toThrow('no');
  const headsOf = () => ['ann', 'bob', 'eve'].map((name) => lanes.lane(name).head);
  expect((await commits.run(headsOf)).result).toEqual(['m1', 'm2', undefined]);
  await Promise.allSettled([lanes.close(), commits.run(fail)]);
  expect((await commits.run(headsOf)).result).toEqual(['m1', 'm2', undefined]);
});

test('of more lanes than are in memory, those that were there first are in the index, and come back from it', async () => {
  const { commits, index, lanesOf } = await open();
  const lanes = lanesOf();
  const nameOf = (number: number) => String(number).padStart(5, '0');
  await commits.run(() => {
    for (let number = 0; number < 8_200; number++) lanes.lane(nameOf(number)).head = `m${number}`;
  });
  expect(index.getKeysCount()).toBe(1 + 8);
  expect((await commits.run(() => lanes.lane(nameOf(3)).head)).result).toBe('m3');
});
