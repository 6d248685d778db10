import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULTS } from '../src/client/options.js';
import { sink } from './support/sink.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string): Promise<string> => readFile(join(root, file), 'utf8');

/** The pages about the client; those of the other doors have tests of their own. */
const pages = [
  'README.md',
  'docs/messages.md',
  'docs/retries.md',
  'docs/observability.md',
  'docs/imports.md',
  'docs/networks.md',
];

const blocks = (
  await Promise.all(
    pages.map(async (page) =>
      [...(await read(page)).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ''], index) => ({ page, index, code })),
    ),
  )
).flat();

test.each(blocks)('block $index of $page runs, and what it sends arrives', async ({ code }) => {
  const collector = await sink();
  // Inside the package, so that it is found by its own name.
  const folder = await mkdtemp(join(root, 'test/block-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'block.mts');
  await writeFile(file, code);
  const child = spawn(process.execPath, ['--import', 'tsx', file], {
    env: { ...process.env, ENDPOINT: collector.url },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const exit = await new Promise((resolve) => child.on('close', resolve));
  expect(exit, output).toBe(0);
  expect(output).not.toMatch(/Warning|Error/);
  expect(collector.messages.length).toBeGreaterThan(0);
});

test('the README names every option with its default', async () => {
  const table = (await read('README.md')).split('## Options')[1]?.split('\n## ')[0] ?? '';
  const options = [
    ...((await read('src/client/options.ts'))
      .split('export interface AnalyticsOptions')[1]
      ?.split('\n}')[0]
      ?.matchAll(/^ {2}(\w+)\??:/gm) ?? []),
  ];
  expect(options.length).toBeGreaterThan(15);
  for (const [, name] of options) expect(table, name).toContain(`\`${name}\``);
  const shown = { ...DEFAULTS, maxQueueBytes: '64 MiB', retryFor: '4 hours', maxRetries: 'no limit' };
  for (const [name, value] of Object.entries(shown)) {
    const row = table.split('\n').find((line) => line.includes(`| \`${name}\``));
    expect(row?.split('|').at(-2)?.replaceAll('`', '').trim(), name).toBe(String(value));
  }
});

test('every error is in the table of errors', async () => {
  const table = await read('docs/observability.md');
  for (const [, code = ''] of (await read('src/errors.ts')).matchAll(/code = '(\w+)'/g)) expect(table).toContain(code);
});
