import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { expect, onTestFinished, test } from 'vitest';
import { sink } from '../support/sink.js';

const example = new URL('../../examples/worker.ts', import.meta.url).pathname;

/** Runs the example in workerd, bundled as for a deployment, without compatibility with Node. */
async function work(endpoint: string): Promise<(path: string) => Promise<string>> {
  const { outputFiles } = await build({
    entryPoints: [example],
    bundle: true,
    format: 'esm',
    write: false,
    nodePaths: [new URL('node_modules', import.meta.url).pathname],
    conditions: ['workerd', 'worker', 'browser'],
  });
  const worker = new Miniflare({
    modules: true,
    script: outputFiles[0]?.text ?? '',
    compatibilityDate: '2026-01-01',
    bindings: { EVENTFERRY_ENDPOINT: endpoint, EVENTFERRY_WRITE_KEY: 'key' },
  });
  onTestFinished(() => worker.dispose());
  return async (path) => (await worker.dispatchFetch(`http://worker.test${path}`)).text();
}

test('a Worker answers immediately, and delivers its tracked events afterwards', async () => {
  const collector = await sink(async () => Response.json({ success: true }));
  const ask = await work(collector.url);
  expect(await ask('/pricing')).toBe('You asked for /pricing\n');
  await expect.poll(() => collector.messages).toMatchObject([{ type: 'page', name: '/pricing', anonymousId: 'a1' }]);
  expect(collector.requests[0]?.headers.get('user-agent')).toMatch(/^eventferry\//);
});

test('a Worker delivers the events of many simultaneous requests, each once', async () => {
  const collector = await sink();
  const ask = await work(collector.url);
  const paths = Array.from({ length: 30 }, (_, index) => `/${index}`);
  await Promise.all(paths.map(ask));
  await expect.poll(() => collector.messages.length).toBe(30);
  const names = collector.messages.map((message) => ('name' in message ? message.name : ''));
  expect(names.sort()).toEqual(paths.sort());
});

test('a Worker sends again to a collector that is down for a moment', async () => {
  const collector = await sink(503);
  const ask = await work(collector.url);
  await ask('/pricing');
  await expect.poll(() => collector.messages).toHaveLength(1);
  expect(collector.requests.map(({ headers }) => headers.get('x-retry-count'))).toEqual([null, '1']);
});
