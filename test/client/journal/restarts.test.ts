import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run as command } from '../../cli/command.js';
import { run } from '../../support/script.js';
import { sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** How often all workers are restarted. */
const rounds = Number(process.env['JOURNAL_RESTARTS'] ?? 2);

const mountAt = (path: string, bytes: number): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path]).status === 0;

const unmount = (path: string): unknown => spawnSync('umount', ['-l', path]);

function mayMount(): boolean {
  const path = mkdtempSync(join(tmpdir(), 'eventferry-'));
  const may = process.platform === 'linux' && mountAt(path, 2 ** 20);
  if (may) unmount(path);
  rmdirSync(path);
  return may;
}

/** Returns a worker that tracks until its journal is full, prints the ids of stored messages, and ends as `end` says. */
const worker = (endpoint: string, journal: string, end: string): string => `
  import { Analytics } from 'eventferry';
  const analytics = new Analytics({ writeKey: 'key', endpoint: '${endpoint}', journal: '${journal}', warnings: false });
  let isFull = false;
  analytics.on('journal', ({ kind }) => { isFull ||= kind === 'failing'; });
  for (let turns = 0; turns < 400 && !isFull; turns++) {
    for (let n = 0; n < 20; n++) {
      const { stored, delivered, messageId } = analytics.track({ userId: 'u', event: 'E', properties: { pad: 'x'.repeat(900) } });
      delivered.catch(() => {});
      stored.then(() => process.stdout.write(messageId + '\\n'), () => {});
    }
    await new Promise(setImmediate);
  }
  // Messages that are not stored by now wait for room.
  await new Promise((resolve) => setTimeout(resolve, 100));
  ${end}
`;

const sender = (endpoint: string, journal: string): string => `
  import { Analytics } from 'eventferry';
  const analytics = new Analytics({ writeKey: 'key', endpoint: '${endpoint}', journal: '${journal}', warnings: false });
  await analytics.flush();
  await analytics.close({ timeout: 60_000 });
`;

const DOWN = 'http://127.0.0.1:9';
const KILLS = "process.kill(process.pid, 'SIGKILL');";
const CLOSES = 'await analytics.close({ timeout: 1 });';

const cases = [2, 4, 8].flatMap((workers) => [2, 4, 8].map((mebibytes) => [workers, mebibytes] as const));

test.runIf(mayMount()).each(rounds < 10 ? [[4, 2] as const] : cases)(
  '%i workers that restart together on a volume of %i MiB, which their journal has filled, lose no stored message',
  async (workers, mebibytes) => {
    const disk = temporaryFolder();
    mountAt(disk, mebibytes * 2 ** 20);
    onTestFinished(() => void unmount(disk));
    const journal = join(disk, 'journal');
    const stored = new Set<string>();
    const together = async (script: string, code: number | null): Promise<void> => {
      const ends = await Promise.all(Array.from({ length: workers }, () => run(script).ended));
      for (const end of ends) {
        expect({ code: end.code, stderr: end.stderr }).toEqual({ code, stderr: '' });
        for (const id of end.stdout.split('\n').slice(0, -1)) stored.add(id);
      }
    };
    for (let round = 0; round < rounds; round++) {
      const isKilled = round % 2 === 0;
      await together(worker(DOWN, journal, isKilled ? KILLS : CLOSES), isKilled ? null : 0);
      const flush = ['journal', 'flush', journal, '--endpoint', DOWN, '--write-key', 'key', '--timeout', '0.2'];
      expect((await command(flush)).out).toMatch(/^0 messages delivered, 0 lost, [1-9]\d* left\n$/);
      expect(await command(['journal', 'drop', journal, '--user', 'nobody'])).toMatchObject({ code: 0 });
    }
    const collector = await sink();
    await together(sender(collector.url, journal), 0);
    const delivered = new Set(collector.messages.map(({ messageId }) => messageId));
    expect(stored.size).toBeGreaterThan(mebibytes * 700);
    expect([...stored].filter((id) => !delivered.has(id))).toEqual([]);
  },
  60_000 + rounds * 20_000,
);
