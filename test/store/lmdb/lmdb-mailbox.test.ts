import { expect, onTestFinished, test } from 'vitest';
import { NOBODY } from '../../../src/store/lmdb/lease.js';
import { LmdbEnvironment } from '../../../src/store/lmdb/lmdb-environment.js';
import { LmdbMailbox, type Notice } from '../../../src/store/lmdb/lmdb-mailbox.js';
import { thisProcess } from '../../../src/this-process.js';
import { newFolder } from '../../cli/files.js';

async function mailboxIn() {
  const environment = await LmdbEnvironment.open({ path: await newFolder(), lock: 'none' });
  onTestFinished(() => environment.close());
  const mailbox = new LmdbMailbox(environment);
  const write = async <T>(act: () => T): Promise<T> => (await environment.commits.run(act)).result;
  return { mailbox, write };
}

const notice = (id: string): Notice => ({ destination: 1, term: 1, id, at: 7, came: ['a'], went: [] });

test('no two processes have one number, in whatever transaction they ask', async () => {
  const { mailbox, write } = await mailboxIn();
  const first = await write(() => [mailbox.nextProcess(), mailbox.nextProcess()]);
  expect([...first, await write(() => mailbox.nextProcess())]).toEqual([1, 2, 3]);
});

test('notices are taken once, in their order, by the process they are for', async () => {
  const { mailbox, write } = await mailboxIn();
  await write(() => {
    for (const id of ['m1', 'm2']) mailbox.tell(2, notice(id));
    mailbox.tell(3, notice('m3'));
  });
  expect([1, 2, 3].map((receiver) => mailbox.hasNotices(receiver))).toEqual([false, true, true]);
  expect(await write(() => mailbox.takeNotices(2))).toEqual([notice('m1'), notice('m2')]);
  expect(await write(() => mailbox.takeNotices(2))).toEqual([]);
  expect(mailbox.hasNotices(3)).toBe(true);
});

test('a lease is given back by its holder alone, and keeps its term', async () => {
  const { mailbox, write } = await mailboxIn();
  await write(() => mailbox.putLease(1, { holder: 2, term: 5 }));
  await write(() => mailbox.release(1, 3));
  expect(mailbox.lease(1)).toEqual({ holder: 2, term: 5 });
  await write(() => mailbox.release(1, 2));
  expect(mailbox.lease(1)).toEqual({ holder: NOBODY, term: 5 });
  await write(() => mailbox.release(9, 2));
  expect(mailbox.read().leases).toEqual(new Map([[1, { holder: NOBODY, term: 5 }]]));
});

test('a lease that is written in a transaction is the one that is read later in it', async () => {
  const { mailbox, write } = await mailboxIn();
  const read = await write(() => {
    const before = mailbox.leaseNow(1);
    mailbox.putLease(1, { holder: 2, term: 1 });
    return [before, mailbox.leaseNow(1)];
  });
  expect(read).toEqual([undefined, { holder: 2, term: 1 }]);
  await write(() => mailbox.putLease(1, { holder: 3, term: 2 }));
  expect(await write(() => mailbox.leaseNow(1))).toEqual({ holder: 3, term: 2 });
});

test('a process with much left for it is buried in parts', async () => {
  const { mailbox, write } = await mailboxIn();
  await write(() => {
    mailbox.putProcess(2, { ...thisProcess, beat: 1 });
    for (let count = 0; count < 1_001; count++) mailbox.tell(2, notice(`m${count}`));
  });
  await write(() => mailbox.bury(2));
  expect([mailbox.process(2)?.beat, mailbox.hasNotices(2)]).toEqual([1, true]);
  await write(() => mailbox.bury(2));
  expect([mailbox.process(2), mailbox.hasNotices(2)]).toEqual([undefined, false]);
});
