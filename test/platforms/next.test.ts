import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { Analytics } from '../../src/index.js';
import { sink } from '../support/sink.js';
import { copyOfExample, start } from './app.js';

const NEXT = 'next/dist/bin/next';
const READY = /Local: +(http\S+)/;

/** Writes a changed copy of one file of an app to another file. */
async function change(app: string, from: string, to: string, act: (code: string) => string): Promise<void> {
  const code = await readFile(join(app, from), 'utf8');
  await mkdir(dirname(join(app, to)), { recursive: true });
  await writeFile(join(app, to), act(code));
}

/** Changes a client so that it does not send soon by itself. */
const slow = (code: string): string => code.replace('endpoint:', 'flushAfter: 600_000, endpoint:');

const order = (url: string, route = 'orders'): Promise<Response> =>
  fetch(`${url}/${route}`, { method: 'POST', body: JSON.stringify({ userId: 'u1' }) });

/** A route with a wrapped handler. */
const WRAPPED = `
import { withRun } from 'eventferry/middleware';
import { after } from 'next/server';
import { analytics } from '../../slow.js';

async function handle(request) {
  const { userId } = await request.json();
  analytics.track({ userId, event: 'Order Wrapped' });
  return Response.json({ wrapped: true });
}

export const POST = withRun(analytics, handle, { waitUntil: after });
`;

test("a route handler in Next's dev server delivers its tracked events with `after`", async () => {
  const collector = await sink();
  const app = await copyOfExample('next');
  await change(app, 'analytics.js', 'analytics.js', slow);
  const server = start(NEXT, ['dev', '--port', '0'], app, { EVENTFERRY_ENDPOINT: collector.url });
  const response = await order(await server.printed(READY));
  expect(await response.text(), server.output()).toBe('{"ordered":true}');
  await expect.poll(() => collector.messages).toMatchObject([{ event: 'Order Completed', userId: 'u1' }]);
});

test('a collector in a route handler of Next accepts what a client sends', async () => {
  const app = await copyOfExample('next');
  const build = start(NEXT, ['build'], app);
  expect(await build.ended, build.output()).toBe(0);
  const server = start(NEXT, ['start', '--port', '0'], app);
  const analytics = new Analytics({ writeKey: 'dev', endpoint: `${await server.printed(READY)}/events` });
  for (let n = 0; n < 500; n++) analytics.track({ userId: `u${n}`, event: 'Order Completed' });
  expect(await analytics.close(), server.output()).toMatchObject({ delivered: 500, lost: 0 });
  // The output of the program reaches the test later than its answers.
  await expect.poll(() => new Set(server.output().match(/website: track of u\d+\b/g)).size).toBe(500);
});

test("a route handler in Next's build delivers its tracked events with `after` or with the waitUntil of an adapter", async () => {
  const collector = await sink();
  const app = await copyOfExample('next');
  // Adds two routes beside that of the example, with a client that has no `waitUntil`.
  await change(app, 'analytics.js', 'slow.js', (code) => slow(code).replace(/^.*\bafter\b.*\n/gm, ''));
  await change(app, 'analytics.js', 'analytics.js', slow);
  await change(app, 'app/orders/route.js', 'app/refunds/route.js', (code) => code.replace('analytics.js', 'slow.js'));
  await change(app, 'app/orders/route.js', 'app/wrapped/route.js', () => WRAPPED);
  const build = start(NEXT, ['build'], app);
  expect(await build.ended, build.output()).toBe(0);

  const server = start(NEXT, ['start', '--port', '0'], app, { EVENTFERRY_ENDPOINT: collector.url });
  const url = await server.printed(READY);
  expect(await (await order(url)).text(), server.output()).toBe('{"ordered":true}');
  await expect.poll(() => collector.messages).toMatchObject([{ event: 'Order Completed', userId: 'u1' }]);
  expect(await (await order(url, 'wrapped')).text(), server.output()).toBe('{"wrapped":true}');
  await expect.poll(() => collector.messages.slice(1)).toMatchObject([{ event: 'Order Wrapped' }]);

  const adapted = start(NEXT, ['start', '--port', '0'], app, {
    EVENTFERRY_ENDPOINT: collector.url,
    NODE_OPTIONS: `--require ${join(import.meta.dirname, 'next-adapter.cjs')}`,
  });
  await order(await adapted.printed(READY), 'refunds');
  await adapted.printed(/(done;)/);
  await expect.poll(() => collector.messages).toHaveLength(3);
});
