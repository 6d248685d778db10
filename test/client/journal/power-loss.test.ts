import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { serve } from '../../support/loopback.js';
import { run } from '../../support/script.js';
import { sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const forgetfulDisk = pathToFileURL(fileURLToPath(new URL('../../support/forgetful-disk.mjs', import.meta.url))).href;

/** Runs a program until the power fails. Returns the ids that it had stored, and the disk as it is then. */
async function losePower(env: Record<string, string>) {
  const folder = temporaryFolder();
  const [journal, disk] = [join(folder, 'journal'), join(folder, 'disk')];
  const endpoint = await serve(() => {});
  const { stdout, stderr } = await run(
    `
      import { Analytics } from 'eventferry';
      const journal = { path: '${journal}', durability: 'machine' };
      const analytics = new Analytics({ writeKey: 'key', endpoint: '${endpoint}', journal, warnings: false });
      for (let round = 0; round < 20; round++) {
        const receipts = Array.from({ length: 50 }, () => analytics.track({ userId: 'u', event: 'E' }));
        await Promise.all(receipts.map(({ stored }) => stored));
        process.stdout.write(receipts.map(({ messageId }) => messageId + '\\n').join(''));
      }
      for (let more = 0; more < 50; more++) analytics.track({ userId: 'u', event: 'not stored' });
      setTimeout(() => process.kill(process.pid, 'SIGKILL'));
    `,
    { NODE_OPTIONS: `--import=${forgetfulDisk}`, EVENTFERRY_DISK: disk, EVENTFERRY_DISK_OF: journal, ...env },
  ).ended;
  expect(stderr).toBe('');
  return { disk, stored: stdout.trim().split('\n') };
}

async function sentFrom(journal: string): Promise<string[]> {
  const collector = await sink();
  const { stderr } = await run(`
    import { Analytics } from 'eventferry';
    const analytics = new Analytics({ writeKey: 'key', endpoint: '${collector.url}', journal: '${journal}' });
    await analytics.close();
  `).ended;
  expect(stderr).toBe('');
  return collector.messages.map(({ messageId }) => messageId);
}

test('with durability machine, all stored messages are on the disk after a loss of power', async () => {
  const { disk, stored } = await losePower({});
  const sent = new Set(await sentFrom(disk));
  expect(stored).toHaveLength(1_000);
  expect(stored.filter((id) => !sent.has(id))).toEqual([]);
});

test('after a loss of power a disk that ignored all flushes holds nothing, so the test above can fail', async () => {
  const { disk } = await losePower({ EVENTFERRY_DISK_FORGETS: 'flushes' });
  expect(existsSync(join(disk, 'owners'))).toBe(false);
});
