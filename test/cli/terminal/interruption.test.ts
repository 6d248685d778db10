import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { bytesOf, serve } from '../../support/loopback.js';
import { lacksNamespaces } from '../../support/script.js';
import { startAsProcess1, startBelowShell } from '../command.js';
import { newFile } from '../files.js';
import { newJournal, slowSink, WAIT } from '../journal/new-journal.js';
import { configText } from '../serving.js';

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

/** Starts a collector that never answers, and counts its requests. */
async function silent() {
  let requests = 0;
  const url = await serve((request) => {
    bytesOf(request).then(
      () => requests++,
      () => {},
    );
  });
  return { url, count: () => requests };
}

const rows = () =>
  newFile('rows.ndjson', '{"type":"track","userId":"u1","event":"e","timestamp":"2026-01-01T00:00:00Z"}\n');

/** The arguments of commands that run until a signal ends them. */
const ENDLESS: Record<string, (url: string) => Promise<readonly string[]>> = {
  serve: async () => ['serve', await newFile('eventferry.json', configText('http://127.0.0.1:9/'))],
  dev: async () => ['dev', '--port', '0'],
  listen: async () => ['listen', '--port', '0'],
  send: async (url) => ['send', 'track', '--user', 'u1', '--event', 'e', '--endpoint', url, '--write-key', 'key'],
  import: async (url) => ['import', await rows(), '--endpoint', url, '--write-key', 'key'],
  'journal flush': async (url) => ['journal', 'flush', await newJournal(), '--endpoint', url, '--write-key', 'key'],
};

async function endAsProcess1(name: string, ...signals: NodeJS.Signals[]) {
  const { url, count } = await silent();
  const args = await ENDLESS[name]?.(url);
  const { child, ended, signal } = await startAsProcess1(args ?? []);
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (printed += chunk));
  await expect.poll(() => count() > 0 || /Collecting at|Watch your|Waiting for/.test(printed)).toBe(true);
  for (const [index, each] of signals.entries()) {
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, 300));
    if (child.exitCode === null) signal(each);
  }
  return (await ended).code;
}

test.skipIf(lacksNamespaces).each([
  ['serve', 'SIGTERM', 0],
  ['dev', 'SIGINT', 0],
  ['listen', 'SIGTERM', 0],
  ['send', 'SIGTERM', 130],
  ['send', 'SIGINT', 130],
  ['import', 'SIGTERM', 130],
  ['journal flush', 'SIGINT', 130],
] as const)('as process 1 of a container, %s ends at %s with %s', async (name, signal, code) => {
  expect(await endAsProcess1(name, signal)).toBe(code);
});

test.skipIf(lacksNamespaces)('as process 1 of a container, a command ends immediately at a second signal', async () => {
  expect(await endAsProcess1('import', 'SIGINT', 'SIGTERM')).toBe(143);
});
