import { mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startDev } from '../../src/cli/dev/dev-server.js';
import { listenOn } from '../../src/cli/listen/listen-on.js';
import { Analytics } from '../../src/client/analytics.js';
import { buildPage } from '../../src/dashboard/page/build.js';
import { launchChromium } from './chromium.js';
import { shootService, shootTown } from './service-screenshots.js';

/** Takes the pictures in docs/images: `npx tsx test/browser/screenshots.ts`, with `dev`, `service` or `town` only some. */
const FOLDER = 'docs/images';

const desktop = { viewport: { width: 1280, height: 760 }, deviceScaleFactor: 2 } as const;
const phone = { viewport: { width: 390, height: 780 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true } as const;

const PEOPLE = ['ada', 'grace', 'alan', 'edsger', 'barbara', 'donald', 'margaret', 'linus'];
const PRODUCTS = ['Espresso Machine', 'Milk Frother', 'Grinder', 'Descaler', 'Tamper'];
const EVENTS = ['Product Viewed', 'Product Added', 'Checkout Started', 'Order Completed', 'Coupon Applied'];

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

function sendSamples(analytics: Analytics, count: number): void {
  for (let index = 0; index < count; index++) {
    const userId = `${pick(PEOPLE, index * 5)}-${1000 + (index % 40)}`;
    const product = pick(PRODUCTS, index * 3);
    switch (index % 8) {
      case 0:
        analytics.page({ userId, category: 'Shop', name: product, properties: { path: `/shop/${index}` } });
        break;
      case 3:
        analytics.identify({ userId, traits: { name: pick(PEOPLE, index), plan: 'pro', locale: 'de-CH' } });
        break;
      case 5:
        analytics.screen({ anonymousId: `device-${index}`, name: 'Home' });
        break;
      case 6:
        if (index % 16 === 6) analytics.group({ userId, groupId: 'acme', traits: { employees: 120, plan: 'team' } });
        else analytics.alias({ userId, previousId: `anonymous-${index}` });
        break;
      default:
        analytics.track({
          userId,
          event: pick(EVENTS, index * 7),
          properties: {
            orderId: `o-${5000 + index}`,
            total: (index * 17.5) % 400,
            currency: 'EUR',
            products: [{ name: product, quantity: 1 }],
          },
          context: { ip: '203.0.113.7', locale: 'de-CH', page: { path: '/checkout', title: 'Checkout' } },
        });
    }
  }
}

async function post(url: string, body: string): Promise<void> {
  const authorization = `Basic ${Buffer.from('dev:').toString('base64')}`;
  const response = await fetch(`${url}/v1/batch`, { method: 'POST', headers: { authorization }, body });
  await response.text();
}

async function openPage(browser: Browser, url: string, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForSelector('[data-state=live]');
  return page;
}

async function shoot(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(150);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}

/** Starts a webhook that always answers the same. If it is busy, it asks to retry after an hour. */
async function startReceiver(status: number): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, status === 503 ? { 'retry-after': '3600' } : {}).end();
  });
  const port = await listenOn(server, { port: 0, host: '127.0.0.1' });
  return { url: `http://127.0.0.1:${port}/hooks/${status}`, server };
}

/** Takes the pictures of the page of `dev`. */
async function shootDev(browser: Browser): Promise<void> {
  const server = await startDev({ port: 4100, host: '127.0.0.1', writeKey: 'dev' }, await buildPage());
  const analytics = new Analytics({ writeKey: 'dev', endpoint: server.url });

  const empty = await openPage(browser, server.url, { ...desktop, colorScheme: 'light' });
  await shoot(empty, 'debugger-empty');

  for (let second = 0; second < 12; second++) {
    sendSamples(analytics, 8 + ((second * 13) % 40));
    await analytics.flush();
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  await post(
    server.url,
    JSON.stringify({
      batch: [
        { type: 'track', userId: 'u1' },
        { type: 'page', userId: 'u1', name: 'Home' },
        { type: 'purchase', userId: 'u2' },
      ],
    }),
  );
  await post(server.url, '{"batch": [{"type": "track", "event": "Order');
  await post(server.url, JSON.stringify({ batch: [{ type: 'identify', traits: { name: 'nobody' } }] }));

  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await openPage(browser, server.url, { ...desktop, colorScheme });
    await page.click('.row:nth-child(4)');
    await shoot(page, `debugger-${colorScheme}`);
  }
  const rejected = await openPage(browser, server.url, { ...desktop, colorScheme: 'light' });
  await rejected.click('#tab-rejected');
  await rejected.click('#list-rejected .row');
  await shoot(rejected, 'debugger-rejected');
  const small = await openPage(browser, server.url, { ...phone, colorScheme: 'dark' });
  await shoot(small, 'debugger-phone');

  const [good, busy, gone] = [await startReceiver(200), await startReceiver(503), await startReceiver(410)];
  const webhook = [good, busy, gone].map(({ url }) => url);
  const forwarding = await startDev(
    { port: 0, host: '127.0.0.1', writeKey: 'dev', webhook, secret: 'shhh' },
    await buildPage(),
  );
  const forwarded = new Analytics({ writeKey: 'dev', endpoint: forwarding.url });
  sendSamples(forwarded, 14);
  await forwarded.flush();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  for (const [name, options] of [
    ['debugger-deliveries', { ...desktop, colorScheme: 'light' }],
    ['debugger-deliveries-phone', { ...phone, colorScheme: 'dark' }],
  ] as const) {
    const page = await openPage(browser, forwarding.url, options);
    await page.click('#tab-deliveries');
    if (name === 'debugger-deliveries') await page.getByRole('option', { name: /503/ }).first().click();
    await shoot(page, name);
  }
  await forwarded.close();
  await forwarding.close();
  for (const { server: receiver } of [good, busy, gone]) {
    receiver.closeAllConnections();
    receiver.close();
  }

  await analytics.close();
  await server.close();
}

await mkdir(FOLDER, { recursive: true });
const browser = await launchChromium();
const shots = { dev: shootDev, service: shootService, town: shootTown };
for (const [name, shoot] of Object.entries(shots))
  if ([undefined, name].includes(process.argv[2])) await shoot(browser, FOLDER);
await browser.close();
