import type { RootDatabase } from 'lmdb';
import { expect, onTestFinished, test } from 'vitest';
import { GroupCommit } from '../../../src/store/lmdb/group-commit.js';
import { LmdbEnvironment } from '../../../src/store/lmdb/lmdb-environment.js';
import { newFolder } from '../../cli/files.js';
import { deferred } from '../../collector/support.js';

async function commitsIn() {
  const environment = await LmdbEnvironment.open({ path: await newFolder(), lock: 'none' });
  onTestFinished(() => environment.close());
  const table = environment.db.openDB<number, string>({ name: 'numbers', encoding: 'json' });
  return { commits: new GroupCommit(environment.db, () => {}), table };
}

test('jobs of one turn run in one transaction, in order, and see the writes of earlier jobs', async () => {
  const { commits, table } = await commitsIn();
  const transactions = { begun: 0, begin: () => ++transactions.begun };
  const seen = await Promise.all(
    [1, 2, 3].map(async (number) => {
      const { result } = await commits.run(() => {
        const before = table.get('a');
        table.put('a', number);
        return [commits.gathered(transactions), before];
      });
      return result;
    }),
  );
  expect(seen).toEqual([
    [1, undefined],
    [1, 1],
    [1, 2],
  ]);
  expect(table.get('a')).toBe(3);
});

test('a job that throws has written nothing, and the other jobs of its transaction succeed', async () => {
  const { commits, table } = await commitsIn();
  const good = commits.run(() => void table.put('before', 1));
  const bad = commits.run(() => {
    table.put('thrown', 1);
    throw new Error('no');
  });
  const other = commits.run(() => void table.put('after', 1));
  await expect(bad).rejects.toThrow('no');
  await Promise.all([good, other]);
  expect([...table.getKeys()]).toEqual(['after', 'before']);
});

test('the collected changes of a transaction are written once, after all its jobs', async () => {
  const { commits } = await commitsIn();
  const written: string[][] = [];
  const gatherer = { begin: (): string[] => [], end: (gathered: string[]) => written.push(gathered) };
  const gather = (what: string) => commits.run(() => commits.gathered(gatherer).push(what));
  await Promise.all([gather('job'), gather('other job')]);
  await commits.run(() => undefined);
  await gather('next');
  expect(written).toEqual([['job', 'other job'], ['next']]);
});

test('the collected changes of a failed transaction are not written with the next one', async () => {
  const { commits } = await commitsIn();
  const written: string[][] = [];
  const gatherer = { begin: (): string[] => [], end: (gathered: string[]) => written.push(gathered) };
  const bad = commits.run(() => {
    commits.gathered(gatherer).push('failed');
    throw new Error('no');
  });
  const good = commits.run(() => commits.gathered(gatherer).push('good'));
  await expect(bad).rejects.toThrow('no');
  await good;
  expect(written).toEqual([['good']]);
});

test('the consequences of a transaction take effect once it is committed, before the callers of its jobs are told', async () => {
  const { commits, table } = await commitsIn();
  const done: unknown[] = [];
  const gatherer = {
    begin: (): string[] => [],
    committed: (gathered: string[]) => done.push([table.get('a'), ...gathered]),
  };
  const failing = commits.run(() => {
    commits.gathered(gatherer).push('never');
    throw new Error('no');
  });
  const good = commits.run(() => {
    table.put('a', 1);
    commits.gathered(gatherer).push('good');
  });
  await Promise.allSettled([failing, good.then(() => done.push('known'))]);
  expect(done).toEqual([[1, 'good'], 'known']);
});

test('a durable job resolves with its result once that is on the disk', async () => {
  const { commits, table } = await commitsIn();
  const result = await commits.runDurably(() => {
    table.put('a', 1);
    return 'done';
  });
  expect([result, table.get('a')]).toEqual(['done', 1]);
  expect(commits.canRecord).toBe(true);
});

test('after the write of a vital job has failed, nothing can be recorded until a background write succeeds', async () => {
  const disk = { isFull: true };
  const db = {
    childTransaction: async (work: () => void) => {
      work();
      if (disk.isFull)
        throw Object.assign(new Error('Commit failed'), { commitError: Promise.reject(new Error('ENOSPC')) });
    },
    flushed: Promise.resolve(),
    openDB: () => ({ put: () => undefined }),
  } as unknown as RootDatabase;
  const commits = new GroupCommit(db, () => {});
  await expect(commits.run(() => undefined, true)).rejects.toThrow('ENOSPC');
  expect(commits.canRecord).toBe(false);
  await commits.flush().catch(() => undefined);
  disk.isFull = false;
  expect(commits.canRecord).toBe(false);
  await commits.flush();
  expect(commits.canRecord).toBe(true);
});

test('a durable job waits until its writes are on the disk, and rejects if that fails', async () => {
  const [first, second] = [deferred(), deferred()];
  const flushes = [first.promise, second.promise];
  const db = {
    childTransaction: async (work: () => void) => work(),
    get flushed() {
      return flushes.shift();
    },
  } as unknown as RootDatabase;
  const commits = new GroupCommit(db, () => {});
  let isSafe = false;
  const safe = commits.runDurably(() => 'done').then(() => (isSafe = true));
  // By now the job is visible, and all promises that do not wait for the disk are settled.
  await commits.run(() => undefined);
  await new Promise(setImmediate);
  expect(isSafe).toBe(false);
  first.resolve();
  await safe;
  const failing = new GroupCommit(
    { ...db, flushed: Promise.reject(new Error('EIO')), childTransaction: db.childTransaction } as RootDatabase,
    () => {},
  );
  await expect(failing.runDurably(() => 'done')).rejects.toThrow('EIO');
});
