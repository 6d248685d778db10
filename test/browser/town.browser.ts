import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { TOKEN } from '../service/support.js';
import { launchChromium } from './chromium.js';
import { refresh, settled } from './service-page.js';
import { eventsOf, openTown } from './town.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const CUSTOMERS = 500;
const MOST_BYTES = 20_000;

/** Counts how many bytes the answers of the API take over the wire, including headers. */
async function countBytes(page: Page): Promise<{ take(): number }> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const asked = new Set<string>();
  let bytes = 0;
  session.on('Network.responseReceived', ({ requestId, response }) => {
    if (response.url.includes('/v1/')) asked.add(requestId);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (asked.has(requestId)) bytes += encodedDataLength;
  });
  return {
    take() {
      const taken = bytes;
      bytes = 0;
      return taken;
    },
  };
}

test('the destinations of 500 customers with problems take at most 20 KB over the wire, and no view scrolls sideways', async () => {
  const { url, sendAs } = await openTown(CUSTOMERS);
  for (let number = 0; number < CUSTOMERS; number++) await sendAs(number, eventsOf(number, 2));
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const bytes = await countBytes(page);
  await page.goto(url);
  await page.fill('#token', TOKEN);
  await page.keyboard.press('Enter');
  await page.getByText(`1 to 25 of ${CUSTOMERS + 1}`).waitFor();
  await settled(page);
  await expect.poll(() => bytes.take()).toBeGreaterThan(0);
  let taken = 0;
  await refresh(page);
  // An answer that reports no change has no body, and a browser does not always report the end of such an answer.
  await expect.poll(() => (taken += bytes.take())).toBeGreaterThan(0);
  await settled(page);
  taken += bytes.take();
  expect([taken < MOST_BYTES, taken]).toEqual([true, taken]);
  for (const view of [
    'destinations/Customer%2031%20of%20the%20town',
    'destinations/Warehouse',
    'deliveries',
    'sources',
  ]) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, view);
    await settled(page);
    const [isWide, ...wide] = await page.evaluate(() => [
      document.documentElement.scrollWidth > innerWidth,
      ...[...document.querySelectorAll('.scrolled, .list')].map((each) => each.scrollWidth > each.clientWidth),
    ]);
    expect([view, isWide, ...wide]).toEqual([view, false, ...wide.map(() => false)]);
  }
});
