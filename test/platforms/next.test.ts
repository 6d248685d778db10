import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { sink } from '../support/sink.js';
import { copyOfExample, start } from './app.js';

const NEXT = 'next/dist/bin/next';
const READY = /Local: +(http\S+)/;

/** Writes one file of an app as another with a change. */
async function change(app: string, from: string, to: string, act: (code: string) => string): Promise<void> {
  const code = await readFile(join(app, from), 'utf8');
  await mkdir(dirname(join(app, to)), { recursive: true });
  await writeFile(join(app, to), act(code));
}

const order = (url: string, route = 'orders'): Promise<Response> =>
  fetch(`${url}/${route}`, { method: 'POST', body: JSON.stringify({ userId: 'u1' }) });

test("a route handler in Next's dev server delivers what it tracked", async () => {
  const collector = await sink();
  const app = await copyOfExample('next');
  const server = start(NEXT, ['dev', '--port', '0'], app, { EVENTFERRY_ENDPOINT: collector.url });
  const response = await order(await server.printed(READY));
  expect(await response.text(), server.output()).toBe('{"ordered":true}');
  await expect.poll(() => collector.messages).toMatchObject([{ event: 'Order Completed', userId: 'u1' }]);
});

test("a route handler in Next's build delivers what it tracked, by `after` or by the waitUntil of an adapter", async () => {
  const collector = await sink();
  const app = await copyOfExample('next');
  // Without `after`, and with a client that sends nothing soon by itself.
  await change(app, 'app/orders/route.js', 'app/refunds/route.js', (code) => code.replace(/^.*\bafter\b.*\n/gm, ''));
  await change(app, 'analytics.js', 'analytics.js', (code) =>
    code.replace('endpoint:', 'flushAfter: 600_000, endpoint:'),
  );
  const build = start(NEXT, ['build'], app);
  expect(await build.ended, build.output()).toBe(0);

  const server = start(NEXT, ['start', '--port', '0'], app, { EVENTFERRY_ENDPOINT: collector.url });
  const response = await order(await server.printed(READY));
  expect(await response.text(), server.output()).toBe('{"ordered":true}');
  await expect.poll(() => collector.messages).toMatchObject([{ event: 'Order Completed', userId: 'u1' }]);

  const adapted = start(NEXT, ['start', '--port', '0'], app, {
    EVENTFERRY_ENDPOINT: collector.url,
    NODE_OPTIONS: `--require ${join(import.meta.dirname, 'next-adapter.cjs')}`,
  });
  await order(await adapted.printed(READY), 'refunds');
  await adapted.printed(/(done;)/);
  await expect.poll(() => collector.messages).toHaveLength(2);
});
