import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { newFolder } from '../../cli/files.js';
import { bundled } from '../../support/bundled.js';

const child = bundled(new URL('./full-disk-child.ts', import.meta.url));

/** Starts a process none of whose files may be longer than so many blocks, until `lift` lets them. */
function startLimited(path: string): { process: ChildProcess; lift(): void; message(): Promise<unknown> } {
  const limited = ['-c', 'ulimit -S -f 4096 && exec "$@"', 'sh', process.execPath, child, path];
  const started = spawn('sh', limited, { stdio: ['ignore', 'inherit', 'ignore', 'ipc'] });
  onTestFinished(() => void started.kill('SIGKILL'));
  return {
    process: started,
    lift: () => void execFileSync('prlimit', ['--pid', String(started.pid), '--fsize=unlimited:']),
    message: async () => (await once(started, 'message'))[0],
  };
}

test('a full disk is an error to whoever stores, keeps nothing by halves, and is over when there is room', async () => {
  const path = await newFolder();
  const { process, lift, message } = startLimited(path);
  const ended = once(process, 'exit');
  const { reasons } = (await message()) as { reasons: string[] };
  expect(reasons).toContain('EVENTFERRY_STORE_UNWRITABLE');
  expect(['EVENTFERRY_STORE_FULL', 'EVENTFERRY_STORE_UNWRITABLE']).toEqual(expect.arrayContaining(reasons));
  lift();
  process.send('there is room');
  const { accepted, refused, isTakenAgain } = (await message()) as Record<'accepted' | 'refused', string[]> & {
    isTakenAgain: boolean;
  };
  expect(await ended).toEqual([0, null]);
  expect(isTakenAgain).toBe(true);
  expect(accepted.length).toBeGreaterThan(10);
  expect(refused).toHaveLength(30);

  const storage = await lmdbStorage({ path });
  onTestFinished(() => storage.close());
  const store = await storage.deliveries('crm');
  const waiting = await store.waiting('https://a.example/', 'first', undefined, 10_000);
  expect(waiting.map(({ id }) => id).toSorted()).toEqual(accepted.toSorted());
  for (const id of accepted) expect((await store.body(id))?.length).toBe(20_000);
  for (const id of refused) expect(await store.event(id)).toBeUndefined();
  const intakes = refused.map((id) => ({ id, body: Buffer.of(), deliveries: [] }));
  expect(await storage.takeIn('web', intakes, 1_000)).toEqual(refused.map(() => []));
});
