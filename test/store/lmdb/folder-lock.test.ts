import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { FolderLock } from '../../../src/store/lmdb/folder-lock.js';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { lmdbStore } from '../../../src/store/lmdb/lmdb-store.js';
import { eventsIn } from '../../../src/store/store.js';
import { newFolder } from '../../cli/files.js';

const child = fileURLToPath(new URL('./lock-child.ts', import.meta.url));

function start(path: string, kind: 'alone' | 'shared'): ChildProcess {
  const process = fork(child, [path, kind], { execArgv: ['--import', 'tsx'] });
  onTestFinished(() => void process.kill('SIGKILL'));
  return process;
}

const outcomeOf = async (process: ChildProcess): Promise<unknown> => (await once(process, 'message'))[0];

async function kill(process: ChildProcess): Promise<void> {
  const ended = once(process, 'exit');
  process.kill('SIGKILL');
  await ended;
}

const take = (path: string, isShared = false, timeoutMs = 0): Promise<FolderLock> =>
  FolderLock.take({ path, isShared, timeoutMs });

test('a store that another process has open is refused with an error that names the folder and the process', async () => {
  const path = await newFolder();
  const process = start(path, 'alone');
  expect(await outcomeOf(process)).toBe('open');
  const error = await lmdbStore({ path }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'EVENTFERRY_STORE_IN_USE', path, pid: process.pid });
  expect(String(error)).toContain(`${path} is in use by process ${process.pid}`);
});

test('a store whose process was killed can be opened at once, 30 times one after the other', async () => {
  const path = await newFolder();
  for (let round = 0; round < 30; round++) {
    const process = start(path, 'alone');
    expect(await outcomeOf(process)).toBe('open');
    await kill(process);
  }
  const store = await lmdbStore({ path });
  await eventsIn(store)?.close();
  expect(readdirSync(path).filter((name) => name.startsWith('holder-'))).toHaveLength(1);
}, 60_000);

test('of several processes that open a store at the same moment one gets it', async () => {
  const path = await newFolder();
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => outcomeOf(start(path, 'alone'))));
  expect(outcomes.toSorted()).toEqual([
    'EVENTFERRY_STORE_IN_USE',
    'EVENTFERRY_STORE_IN_USE',
    'EVENTFERRY_STORE_IN_USE',
    'open',
  ]);
});

test('a store that is in use is waited for as long as asked', async () => {
  const path = await newFolder();
  const first = await lmdbStore({ path });
  await expect(lmdbStore({ path, lockTimeout: 60 })).rejects.toThrow(/in use by this process/);
  const second = lmdbStore({ path, lockTimeout: 10_000 });
  await eventsIn(first)?.close();
  await eventsIn(await second)?.close();
});

test('a wrong time to wait is refused', async () => {
  await expect(lmdbStore({ path: 'nowhere', lockTimeout: '5s' as never })).rejects.toThrow(/lockTimeout/);
});

test('processes of a service share its folder, and a single destination is kept out of it', async () => {
  const path = await newFolder();
  const storage = await lmdbStorage({ path });
  const other = start(path, 'shared');
  expect(await outcomeOf(other)).toBe('open');
  await storage.close();
  await expect(lmdbStore({ path })).rejects.toMatchObject({ code: 'EVENTFERRY_STORE_IN_USE', pid: other.pid });
  await kill(other);
  const store = await lmdbStore({ path });
  await expect(lmdbStorage({ path })).rejects.toMatchObject({ code: 'EVENTFERRY_STORE_IN_USE' });
  await eventsIn(store)?.close();
});

test('whoever shares is told whether others did before it', async () => {
  const path = await newFolder();
  const [first, second] = [await take(path, true), await take(path, true)];
  expect([first.isFirst, second.isFirst]).toEqual([true, false]);
  await first.release();
  const third = await take(path, true);
  expect(third.isFirst).toBe(false);
  await second.release();
  await third.release();
  expect(await FolderLock.isHeld(path)).toBe(false);
});

test('of a hundred that want a folder at the same moment one has it at a time', async () => {
  const path = await newFolder();
  let holders = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 100 }, async () => {
      const lock = await take(path, false, 60_000);
      most = Math.max(most, ++holders);
      await new Promise((resolve) => setImmediate(resolve));
      holders--;
      await lock.release();
    }),
  );
  expect(most).toBe(1);
}, 60_000);

test('a folder whose path is too long for a socket is locked all the same', async () => {
  const path = join(await newFolder(), 'a'.repeat(100), 'b'.repeat(100));
  mkdirSync(path, { recursive: true });
  const lock = await take(path);
  await expect(take(path)).rejects.toMatchObject({ code: 'EVENTFERRY_STORE_IN_USE' });
  await lock.release();
  await (await take(path)).release();
});

test('a holder without a socket is known by its process, and by when that began', async () => {
  const path = await newFolder();
  const mine = await take(path);
  const [name = ''] = readdirSync(path).filter((file) => /^holder-\d+$/.test(file));
  await mine.release();
  const [, pid, ticks, place] = readlinkSync(join(path, name)).split('.');
  symlinkSync(`alone.${pid}.${ticks}.${place}.`, join(path, 'holder-7'));
  await expect(take(path)).rejects.toMatchObject({ code: 'EVENTFERRY_STORE_IN_USE' });
  const dead = await newFolder();
  symlinkSync(`alone.${process.ppid}.1.${place}.`, join(dead, 'holder-8'));
  await (await take(dead)).release();
});
