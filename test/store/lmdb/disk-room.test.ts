import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DiskRoom } from '../../../src/store/lmdb/disk-room.js';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { newFolder } from '../../cli/files.js';
import { bundled } from '../../support/bundled.js';
import { needs } from '../../support/command-exists.js';

const child = bundled(new URL('./full-disk-child.ts', import.meta.url));

/** Starts a process whose files may not exceed this many blocks, until `lift` removes the limit. */
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

test('a full disk rejects each write, leaves nothing half stored, and is over once there is room', async (context) => {
  needs(context, 'prlimit');
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

/** Opens the room on a disk whose free share of the minimum the test sets. */
async function openRoom() {
  const path = await newFolder();
  const { blocks, bsize } = statfsSync(tmpdir());
  const least = Math.min(256 * 2 ** 20, (blocks * bsize) / 20);
  let share = 2;
  // Returns the bytes that bring the free room to the given share of the minimum at this moment.
  const reusable = (): number => {
    const { bavail } = statfsSync(path);
    return share * least - bavail * bsize;
  };
  const room = new DiskRoom(path, { bytes: reusable });
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const at = <T>(free: number, ask: () => T): T => {
    share = free;
    now += 1_000;
    return ask();
  };
  return { room, least, at };
}

test('a store that had too little room accepts nothing until a quarter more than the minimum is free', async () => {
  const { room, at } = await openRoom();
  const takes = (free: number): boolean =>
    at(free, () => {
      try {
        room.take(0);
        return true;
      } catch {
        return false;
      }
    });
  expect([1.12, 0.88, 1.12, 1.38, 1.12].map(takes)).toEqual([true, false, false, true, true]);
});

test('history may take what is free beyond more than the minimum, and gives room back after a write found none', async () => {
  const { room, least, at } = await openRoom();
  const { blocks, bsize } = statfsSync(tmpdir());
  const reserved = Math.min(512 * 2 ** 20, (blocks * bsize) / 5) / least;
  const spare = (free: number): number => Math.round((10 * at(free, () => room.spare())) / least) / 10;
  expect([reserved + 3, reserved + 0.5, reserved - 0.5].map(spare)).toEqual([3, 0.5, -0.5]);
  expect(spare(reserved + 3)).toBe(3);
  room.ranOut();
  expect(room.spare() / least).toBeCloseTo(1 - reserved, 1);
});
