import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { Collector } from '../../src/collector/index.js';
import { freePort } from '../support/free-port.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): Promise<string> => readFile(join(root, file), 'utf8');
const page = await read('docs/collector.md');

test('the first example on the page about the collector prints what it is sent', async () => {
  const [, code = ''] = /^```js run\n(.*?)^```$/ms.exec(page) ?? [];
  const [, body = ''] = /-d '(.*)'/.exec(page) ?? [];
  // Inside the package, so that the package can import itself by name.
  const folder = await mkdtemp(join(root, 'test/block-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'block.mjs');
  await writeFile(file, code.replace('4100', '0'));
  const child = spawn(process.execPath, [file]);
  onTestFinished(() => void child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const [, url = ''] = /^Send to (.*)/.exec((await lines.next()).value) ?? [];
  const response = await fetch(`${url}/v1/batch`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa('dev:')}` },
    body,
  });
  expect(await response.text()).toBe('{"success":true}');
  expect((await lines.next()).value).toMatch(/^website track \d{4}-/);
  child.kill();
  await once(child, 'close');
});

test('the example that mounts the collector in Express accepts a batch below its path', async () => {
  const [, code = ''] = [...page.matchAll(/^```js run\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const port = await freePort();
  const folder = await mkdtemp(join(root, 'test/block-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'block.mjs');
  await writeFile(file, code.replace('4100', String(port)));
  const child = spawn(process.execPath, [file]);
  onTestFinished(() => void child.kill());
  const post = (): Promise<number | undefined> =>
    fetch(`http://127.0.0.1:${port}/events/v1/track`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa('dev:')}` },
      body: JSON.stringify({ event: 'Order Completed', userId: 'u1', messageId: 'm1' }),
    }).then(
      ({ status }) => status,
      () => undefined,
    );
  await expect.poll(post, { timeout: 20_000 }).toBe(200);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('1 messages');
  child.kill();
  await once(child, 'close');
});

test('the page about the collector names every option', async () => {
  const [, declared = ''] =
    /interface CollectorOptions \{(.*?)^\}/ms.exec(await read('src/collector/collector-options.ts')) ?? [];
  const options = [...declared.matchAll(/^ {2}(\w+)\??:/gm)].map(([, option]) => option);
  expect(options.length).toBeGreaterThan(10);
  const [, table = ''] = page.split('## Options');
  expect(options.filter((option) => !table.includes(`| \`${option}`))).toEqual([]);
});

test('the page about the collector names every code of a refused request', async () => {
  const source = await read('src/collector/http-error.ts');
  const codes = [...source.matchAll(/(?:bad\(|HttpError\()\s*(?:\d+,\s*)?'(\w+)'/g)].map(([, code = '']) => code);
  expect(codes.length).toBeGreaterThan(15);
  expect(codes.filter((code) => code !== 'client_gone' && !page.includes(`\`${code}\``))).toEqual([]);
});

test('the page about the collector names every metric', async () => {
  const collector = new Collector({ writeKeys: ['dev'], onMessages: () => {} });
  const names = [...(await collector.metricsText()).matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
