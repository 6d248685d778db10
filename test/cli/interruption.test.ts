import { expect, onTestFailed, test } from 'vitest';
import { startBelowShell } from './command.js';
import { newFile } from './files.js';
import { newJournal, slowSink, WAIT } from './journal/new-journal.js';
import { configText } from './serving.js';

const npx = { npm_lifecycle_event: 'npx', npm_lifecycle_script: "'eventferry'" };

test('serve ends when the shell of the npx that started it ends', async () => {
  const file = await newFile('eventferry.json', configText('http://127.0.0.1:9/'));
  const { child, ended } = await startBelowShell(['serve', file, '--json'], npx);
  const pid = await new Promise<number>((resolve) => {
    child.stdout?.on('data', (chunk: string) => {
      const [, found] = /"pid":(\d+)/.exec(chunk) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
  });
  onTestFailed(() => void process.kill(pid, 'SIGKILL'));
  child.kill('SIGTERM');
  expect((await ended).out).toContain('the service has ended');
});

test('journal flush ends when the shell of the npx that started it ends', async () => {
  const path = await newJournal();
  const { collector } = await slowSink();
  const args = ['journal', 'flush', path, '--endpoint', collector.url, '--write-key', 'key'];
  const { child, ended } = await startBelowShell(args, npx);
  await expect.poll(() => collector.requests.length, WAIT).toBe(1);
  child.kill('SIGTERM');
  expect((await ended).out).toBe('0 messages delivered, 0 lost, 2 left\n');
});
