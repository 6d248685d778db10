import { createServer, request } from 'node:http';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { listenOn } from '../../src/cli/listen/listen-on.js';
import { PageObserver } from '../../src/cli/serve/page-observer.js';
import { buildPage } from '../../src/dashboard/page/build.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { configOf, destinationOf, sendBatch, serving, TOKEN, track } from '../service/support.js';
import { launchChromium } from './chromium.js';
import { settled } from './service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

/** Starts a service behind a proxy like `location /ferry/` of nginx, which sends its own name in `Host`, and signs in there. */
async function openBelow(admin: { publicUrl?: string } | 'public') {
  const target = { url: '' };
  const proxy = createServer((incoming, outgoing) => {
    const path = /^\/ferry(\/.*)/.exec(incoming.url ?? '')?.[1];
    if (path === undefined) return outgoing.writeHead(404).end();
    const { method, headers } = incoming;
    const passed = request(target.url + path, { method, headers: { ...headers, host: new URL(target.url).host } });
    passed.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    return incoming.pipe(passed);
  });
  const port = await listenOn(proxy, { port: 0, host: '127.0.0.1' });
  const publicUrl = `http://127.0.0.1:${port}/ferry/`;
  const crm = await startEndpoint(200);
  const config = configOf({
    admin: { token: TOKEN, ...(admin === 'public' ? { publicUrl } : admin) },
    destinations: [destinationOf(crm.url)],
  });
  const { url } = await serving(config, { observer: new PageObserver(await buildPage()) });
  target.url = url;
  const context = await browser.newContext();
  onTestFinished(async () => {
    await context.close();
    proxy.closeAllConnections();
    proxy.close();
  });
  const page = await context.newPage();
  await page.goto(publicUrl);
  await page.fill('#token', TOKEN);
  await page.keyboard.press('Enter');
  await settled(page);
  return { page, url, context };
}

test('below a path of a proxy, the page signs in, changes things, and reads the feed', async () => {
  const { page, url, context } = await openBelow('public');
  expect((await context.cookies()).map(({ path }) => path)).toEqual(['/ferry/']);
  await page.getByRole('link', { name: 'crm' }).click();
  await page.getByRole('switch', { name: 'Deliver to crm' }).click();
  await page.getByText(/^Paused by admin at \d\d:\d\d\./).waitFor();
  await page.getByRole('tab', { name: /^Messages/ }).click();
  await page.waitForSelector('[data-state=live]');
  await sendBatch(url, track('m1'));
  await page.getByRole('option', { name: /track/ }).first().waitFor();
});

test('behind a proxy that rewrites `Host`, a refused change names the setting that allows it', async () => {
  const { page } = await openBelow({});
  await page.getByRole('link', { name: 'crm' }).click();
  await page.getByRole('switch', { name: 'Deliver to crm' }).click();
  await page.getByText(/It is still delivering.*set `admin\.publicUrl` to the address of the page/).waitFor();
});
