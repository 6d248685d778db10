import { expect, test } from 'vitest';
import { sink } from '../support/sink.js';
import { copyOfExample, start } from './app.js';

const NEXT = 'next/dist/bin/next';
const READY = /Local: +(http\S+)/;

const order = (url: string): Promise<Response> =>
  fetch(`${url}/orders`, { method: 'POST', body: JSON.stringify({ userId: 'u1' }) });

test("a route handler in Next's dev server delivers what it tracked", async () => {
  const collector = await sink();
  const app = await copyOfExample('next');
  const server = start(NEXT, ['dev', '--port', '0'], app, { EVENTFERRY_ENDPOINT: collector.url });
  const response = await order(await server.printed(READY));
  expect(await response.text(), server.output()).toBe('{"ordered":true}');
  await expect.poll(() => collector.messages).toMatchObject([{ event: 'Order Completed', userId: 'u1' }]);
});

test("a route handler in Next's build delivers what it tracked", async () => {
  const collector = await sink();
  const app = await copyOfExample('next');
  const build = start(NEXT, ['build'], app);
  expect(await build.ended, build.output()).toBe(0);
  const server = start(NEXT, ['start', '--port', '0'], app, { EVENTFERRY_ENDPOINT: collector.url });
  const response = await order(await server.printed(READY));
  expect(await response.text(), server.output()).toBe('{"ordered":true}');
  await expect.poll(() => collector.messages).toMatchObject([{ event: 'Order Completed', userId: 'u1' }]);
});
