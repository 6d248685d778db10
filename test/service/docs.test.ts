import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as adminDoor from '../../src/admin/index.js';
import { freePort } from '../support/free-port.js';
import { runCode } from '../support/run-code.js';
import { configOf, destinationOf, metricsAt, sendBatch, serving, TOKEN, track } from './support.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

const read = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
const page = read('service.md');

test("the page about the service names exactly the service's own metrics", async () => {
  const { url } = await serving(configOf());
  const text = await metricsAt(url);
  const names = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name);
  const own = names.filter((name) => !name.startsWith('eventferry_collector_'));
  expect(own.length).toBeGreaterThan(15);
  expect(own.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  const named = [...page.matchAll(/^\| `((?:eventferry|process)_\w+)`(?:, `(\w+)`)?(?:, `(\w+)`)?/gm)].flatMap(
    ([, ...all]) => all.filter((name) => name !== undefined && !name.endsWith('_')),
  );
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
});

describe('the page about the service', () => {
  const [configuration = ''] = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml = '']) => yaml);
  const programs = [...page.matchAll(/^```js run\n(.*?)^```$/gms)].map(([, code = '']) => code);
  const [express = '', fastify = ''] = programs;

  test.each([
    ['Express', express, '/events'],
    ['Fastify', fastify, ''],
  ])('the embedding example of the page for %s collects, answers the admin API and ends', async (_, code, path) => {
    const port = await freePort();
    // The folder is inside the package, so that the program finds the package by its own name.
    const folder = await mkdtemp(join(root, 'test/block-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'eventferry.yaml'), configuration);
    await writeFile(join(folder, 'block.mjs'), code.replace('3000', String(port)));
    const child = spawn(process.execPath, ['block.mjs'], { cwd: folder });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const exit = once(child, 'close');
    const url = `http://127.0.0.1:${port}${path}`;
    await expect
      .poll(
        () =>
          fetch(`${url}/readyz`).then(
            ({ status }) => status,
            () => output,
          ),
        { timeout: 20_000 },
      )
      .toBe(200);
    expect(await sendBatch(url, track('m1'))).toMatchObject({ status: 200 });
    expect(await (await fetch(`${url}/v1/openapi.json`)).json()).toHaveProperty('openapi');
    const admin = new adminDoor.AdminClient({ url, token: 'change-me-before-others-can-reach-it' });
    expect(await admin.syncAudience('Buyers', ['u1', 'u2'])).toMatchObject({ members: 2 });
    child.kill('SIGTERM');
    expect(await exit, output).toEqual([0, null]);
    expect(output).toBe('');
  });
});

test('the service accepts the first example of the page about deletions', async () => {
  const { ask } = await serving(configOf());
  const [, path = '', body = ''] =
    /^curl http:\/\/127\.0\.0\.1:4100(\S+)(?:[^']*? -d '(.*)')?/m.exec(read('deletions.md')) ?? [];
  const { status } = await ask(path, { method: 'POST', body });
  expect(status).toBe(202);
});

test('the example of the client for the admin API lists and replays dead letters', async () => {
  const destinations = [destinationOf('http://127.0.0.1:9/hook')];
  const { url } = await serving(configOf({ destinations }));
  const [, code = ''] = /^```ts run\n(.*?)^```$/ms.exec(read('api.md')) ?? [];
  vi.stubEnv('EVENTFERRY_ADMIN_TOKEN', TOKEN);
  const print = vi.spyOn(console, 'log').mockImplementation(() => {});
  onTestFinished(() => {
    vi.unstubAllEnvs();
    print.mockRestore();
  });
  await runCode(code.replace('http://127.0.0.1:4100', url), () => adminDoor);
  expect(print.mock.calls).toEqual([[expect.objectContaining({ status: 'done', deliveries: 0 })]]);
});
