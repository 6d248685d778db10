import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../chromium.js';
import { CRM, holdings } from '../fake-holdings.js';
import { hasRows, openView, refresh, settled, tabNames } from '../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const phone = { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true } as const;

test.each([320, 720, 1280, 3840])('at a width of %i no view scrolls sideways', async (width) => {
  const { page, service } = await openView(browser, 'Destinations', { viewport: { width, height: 900 } });
  const long = 'a-very-long-name-'.repeat(20);
  const [crm] = holdings(Date.now()).destinations;
  if (crm === undefined) throw new Error('there is no destination');
  service.holdings.destinations.push({
    ...crm,
    name: long,
    sources: [long],
    endpoints: crm.endpoints.map((each) => ({ ...each, url: `${CRM}/${long}` })),
  });
  // Checks the page and everything that scrolls in it.
  const isTooWide = () =>
    page.$$eval('html, .view, .scrolled, .list, .detail', (all) =>
      all.some((element) => element.scrollWidth > element.clientWidth),
    );
  const views = [
    ...(await tabNames(page)),
    `destinations/${long}`,
    'sources/shop',
    'deliveries?phase=dead',
    'audiences/Newsletter',
    'deliveries/order-5001@CRM@crm.example.com?phase=dead',
    'traits/Lifetime Value',
    'deliveries/order-8000@CRM@crm.example.com',
    'deletions/d1',
  ];
  for (const view of views) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, view);
    await refresh(page);
    await settled(page);
    expect([view, await isTooWide()]).toEqual([view, false]);
    // A script clicks, because an open item covers a narrow screen.
    await page.$$eval('.sure > .framed', (buttons) => {
      for (const button of buttons) if (button instanceof HTMLElement) button.click();
    });
    await page.waitForFunction(() => document.querySelector('.sure > .framed')?.textContent !== 'Replay dead letters');
    expect([view, 'asks', await isTooWide()]).toEqual([view, 'asks', false]);
  }
});

test('on a phone no view is wider than the screen, and an open item covers it', async () => {
  const { page, service } = await openView(browser, 'Sources', phone);
  const [shop] = service.holdings.sources;
  if (shop === undefined) throw new Error('there is no source');
  service.holdings.sources = [{ ...shop, name: 'a-long-name-'.repeat(30) }, shop];
  for (const destination of service.holdings.destinations) destination.sources = ['a-long-name-'.repeat(30)];
  const isTooWide = () => page.evaluate((width) => document.documentElement.scrollWidth > width, phone.viewport.width);
  const opened: string[] = [];
  for (const view of await tabNames(page)) {
    await page.click(`#tab-${view}`);
    await refresh(page);
    await settled(page);
    expect([view, await isTooWide()]).toEqual([view, false]);
    if (!(await hasRows(page, view))) continue;
    opened.push(view);
    await page.locator(`#list-${view} .row`).first().tap();
    expect(await page.locator(`#detail-${view}`).boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 780 });
    expect([view, await isTooWide()]).toEqual([view, false]);
    await page.locator(`#detail-${view} [aria-label=Close]`).tap();
  }
  expect(opened).toContain('deliveries');
});

test('on a phone a badge takes less than half of a row, and the title is beside it', async () => {
  const { page, service } = await openView(browser, 'Messages', phone);
  const entry = {
    source: 'shop',
    receivedAt: new Date().toISOString(),
    path: '/v1/batch',
    status: 200,
    client: 'curl/8',
  };
  service.feed.add({
    ...{ ...entry, kind: 'batch', messages: 3_000, rejected: 0, duplicates: 0, bytes: 900, wireBytes: 90, attempt: 1 },
  });
  const attempt = {
    at: entry.receivedAt,
    id: 'm1',
    type: 'track',
    title: 'Order Completed',
    endpoint: 'http://a.example',
  };
  service.feed.add({
    ...{ ...attempt, kind: 'delivery', attempt: 1, outcome: 'dead', durationMs: 3, reason: 'the chain of trust ends' },
    result: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  });
  for (const view of ['batches', 'attempts']) {
    await page.click(`#tab-${view}`);
    const [badge, title] = [page.locator('.row .badge'), page.locator('.row .title')];
    const [left, right] = [await badge.boundingBox(), await title.boundingBox()];
    if (left === null || right === null) throw new Error('the row has no badge or no title');
    expect([view, left.width < 180]).toEqual([view, true]);
    expect([view, Math.round(right.x - left.x - left.width)]).toEqual([view, 10]);
  }
});
