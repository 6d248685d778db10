import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { settled } from '../../support/fake-clock.js';
import { sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { type Life, leave, numbered, numbersOf, open } from './life.js';

const rounds = Number(process.env['JOURNAL_DISKS'] ?? 5);

const DISK_BYTES = 512 * 2 ** 10;

/** Mounts a separate disk. Returns false if this user may not. */
const mountAt = (path: string): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', path]).status === 0;

function unmount(path: string): void {
  spawnSync('umount', ['-l', path]);
}

function mayMount(): boolean {
  const path = mkdtempSync(join(tmpdir(), 'eventferry-'));
  const may = process.platform === 'linux' && mountAt(path);
  if (may) unmount(path);
  rmdirSync(path);
  return may;
}

const step = fc.record({
  messages: fc.integer({ min: 1, max: 60 }),
  /** The bytes of the disk that other files use in this step. */
  used: fc.integer({ min: 0, max: DISK_BYTES }),
  /** Whether the client is closed and another one opened in this step. */
  ends: fc.boolean(),
});

test.runIf(mayMount())(
  'each message stored on a small disk that other files fill and empty is delivered exactly once',
  async () => {
    const disk = temporaryFolder();
    mountAt(disk);
    onTestFinished(() => unmount(disk));
    const collector = await sink();
    const stored = new Set<number>();
    let next = 0;
    const use = (bytes: number): void => {
      rmSync(join(disk, 'others'), { force: true });
      try {
        writeFileSync(join(disk, 'others'), Buffer.alloc(bytes));
      } catch {
        // The disk is full.
      }
    };
    const track = ({ analytics }: Life, messages: number): void => {
      for (const end = next + messages; next < end; next++) {
        const n = next;
        const receipt = analytics.track(numbered(n, 'x'.repeat(n % 1_500)));
        receipt.delivered.catch(() => {});
        receipt.stored.then(
          () => stored.add(n),
          () => {},
        );
      }
    };
    const round = async (steps: readonly { messages: number; used: number; ends: boolean }[]): Promise<void> => {
      const path = join(disk, 'journal');
      let life = open(path);
      for (const { messages, used, ends } of steps) {
        use(used);
        track(life, messages);
        await settled();
        life.clock.advance(1_000);
        await settled();
        if (!ends) continue;
        await leave(life);
        use(0);
        life = open(path);
      }
      await leave(life);
      use(0);
      const last = open(path, { endpoint: collector.url });
      await last.analytics.flush();
      expect(last.analytics.stats()).toMatchObject({ lost: 0, pending: 0 });
      await last.analytics.close();
      rmSync(path, { recursive: true });
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), round), {
      numRuns: rounds,
      endOnFailure: true,
    });
    const found = numbersOf(collector);
    const delivered = new Set(found);
    expect([...stored].filter((n) => !delivered.has(n))).toEqual([]);
    expect(found.length).toBe(delivered.size);
    expect(stored.size).toBeGreaterThan(rounds);
  },
  30_000 + rounds * 2_000,
);
