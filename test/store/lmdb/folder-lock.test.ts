import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FolderLock } from '../../../src/store/lmdb/folder-lock.js';
import { lmdbStorage, lmdbStore } from '../../../src/store/lmdb/lmdb-storage.js';
import type { Storage } from '../../../src/store/storage.js';
import { type SharedStore, sharedIn } from '../../../src/store/store.js';
import { newFolder } from '../../cli/files.js';
import { bundled } from '../../support/bundled.js';
import { runs } from '../../support/runs.js';

const child = bundled(new URL('./lock-child.ts', import.meta.url));

function start(path: string, kind: 'store' | 'storage' = 'store'): ChildProcess {
  const process = fork(child, [path, kind]);
  onTestFinished(() => void process.kill('SIGKILL'));
  return process;
}

const outcomeOf = async (process: ChildProcess): Promise<unknown> => (await once(process, 'message'))[0];

async function kill(process: ChildProcess): Promise<void> {
  const ended = once(process, 'exit');
  process.kill('SIGKILL');
  await ended;
}

const take = (path: string, timeoutMs = 0): Promise<FolderLock> => FolderLock.take({ path, timeoutMs });

test('a store that another process has open is refused with an error that names the folder and the process', async () => {
  const path = await newFolder();
  const process = start(path);
  expect(await outcomeOf(process)).toBe('open');
  const error = await lmdbStore({ path }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'EVENTFERRY_STORE_IN_USE', path, pid: process.pid, host: hostname() });
  expect(String(error)).toContain(`${path} is in use by process ${process.pid} on ${hostname()}. Stop that process`);
});

test('a store whose process was killed can be opened immediately, again and again', async () => {
  const path = await newFolder();
  for (let round = 0; round < runs(4, 30); round++) {
    const process = start(path);
    expect(await outcomeOf(process)).toBe('open');
    await kill(process);
  }
  const store = await lmdbStore({ path });
  await sharedIn(store)?.closeUnused();
  expect(readdirSync(path).filter((name) => name.startsWith('holder-'))).toHaveLength(1);
}, 60_000);

test('only one of several processes that open a store at the same moment succeeds', async () => {
  const path = await newFolder();
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => outcomeOf(start(path))));
  expect(outcomes.toSorted()).toEqual([
    'EVENTFERRY_STORE_IN_USE',
    'EVENTFERRY_STORE_IN_USE',
    'EVENTFERRY_STORE_IN_USE',
    'open',
  ]);
});

test('opening a store that is in use waits as long as `lockTimeout` says', async () => {
  const path = await newFolder();
  const first = await lmdbStore({ path });
  await expect(lmdbStore({ path, lockTimeout: 60 })).rejects.toThrow(/in use by this process/);
  const second = lmdbStore({ path, lockTimeout: 10_000 });
  await sharedIn(first)?.closeUnused();
  await sharedIn(await second)?.closeUnused();
});

test('an invalid lockTimeout is refused', async () => {
  await expect(lmdbStore({ path: 'nowhere', lockTimeout: '5s' as never })).rejects.toThrow(/lockTimeout/);
});

/** Opens the storage of a folder that another process holds. `told` resolves with the warning about it. */
function openWhileHeld(path: string): { second: Promise<Storage>; told: Promise<string> } {
  let second: Promise<Storage> | undefined;
  const told = new Promise<string>((onWarning) => {
    second = lmdbStorage({ path, onWarning });
  });
  if (second === undefined) throw new Error('A promise calls its executor at once');
  return { second, told };
}

test('a storage waits for the process that holds its folder, names it immediately, and opens once it was killed', async () => {
  const path = await newFolder();
  const first = start(path, 'storage');
  expect(await outcomeOf(first)).toBe('open');
  const order: string[] = [];
  const { second, told } = openWhileHeld(path);
  void second.then(() => order.push('the second has it'));
  expect(await told).toBe(
    `process ${first.pid} on ${hostname()} has the folder ${path} open; the storage waits for up to 20 s until that is over`,
  );
  order.push('the first is killed');
  await kill(first);
  await (await second).close();
  expect(order).toEqual(['the first is killed', 'the second has it']);
});

test('a storage opens once the process before has closed the folder, even if that still runs', async () => {
  const path = await newFolder();
  const first = start(path, 'storage');
  expect(await outcomeOf(first)).toBe('open');
  const second = lmdbStorage({ path, onWarning: () => first.send('close') });
  await (await second).close();
  expect(first.exitCode).toBe(null);
});

test.each(['store', 'storage'])('a storage waits no longer than lockTimeout for a %s of this process', async (kind) => {
  const path = await newFolder();
  const storage = kind === 'storage' ? await lmdbStorage({ path }) : closable(sharedIn(await lmdbStore({ path })));
  const warnings: string[] = [];
  const onWarning = (text: string): void => void warnings.push(text);
  await expect(lmdbStorage({ path, lockTimeout: 60, onWarning })).rejects.toMatchObject({
    code: 'EVENTFERRY_STORE_IN_USE',
    message: expect.stringContaining('in use by this process. Close it there first'),
    path,
    pid: process.pid,
    host: hostname(),
  });
  expect(warnings).toEqual([
    `this process has the folder ${path} open; the storage waits for up to 0.06 s until that is over`,
  ]);
  await storage?.close();
  await (await lmdbStorage({ path })).close();
});

test('aborting the wait for a folder leaves nothing in the folder', async () => {
  const path = await newFolder();
  const first = await take(path);
  const files = readdirSync(path).toSorted();
  const waiting = new AbortController();
  const second = lmdbStorage({ path, signal: waiting.signal, onWarning: () => waiting.abort() });
  await expect(second).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
  expect(readdirSync(path).toSorted()).toEqual(files);
  await first.release();
});

test('a lock that has waited for another is held until its release', async () => {
  const path = await newFolder();
  const first = await take(path);
  const second = await FolderLock.take({ path, timeoutMs: 10_000, onWait: () => void first.release() });
  expect(await FolderLock.isHeld(path)).toBe(true);
  await second.release();
  expect(await FolderLock.isHeld(path)).toBe(false);
});

test('many locks of one folder are held one at a time', async () => {
  const path = await newFolder();
  let holders = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: runs(30, 100) }, async () => {
      const lock = await take(path, 60_000);
      most = Math.max(most, ++holders);
      await new Promise((resolve) => setImmediate(resolve));
      holders--;
      await lock.release();
    }),
  );
  expect(most).toBe(1);
}, 60_000);

test('a folder whose path is too long for a socket is still locked', async () => {
  const path = join(await newFolder(), 'a'.repeat(100), 'b'.repeat(100));
  mkdirSync(path, { recursive: true });
  const lock = await take(path);
  await expect(take(path)).rejects.toMatchObject({ code: 'EVENTFERRY_STORE_IN_USE' });
  await lock.release();
  await (await take(path)).release();
});

test('a holder without a socket is identified by its process id and start time', async () => {
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

const closable = (shared: SharedStore | undefined) => ({ close: async () => shared?.closeUnused() });
