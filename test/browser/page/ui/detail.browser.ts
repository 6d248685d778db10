import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openDebugger, waitForCount } from '../../debugger-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const phone = { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true } as const;

test('on a phone nothing is wider than the screen, and an open message covers it', async () => {
  const { page, analytics } = await openDebugger(browser, phone);
  // A phone widens its window to fit wide content, so the width is compared with the viewport instead.
  const isTooWide = () => page.evaluate((width) => document.documentElement.scrollWidth > width, phone.viewport.width);
  expect(await isTooWide()).toBe(false);
  analytics.track({ userId: 'a-user-with-a-very-long-id-'.repeat(5), event: 'An event with a long name '.repeat(8) });
  await analytics.flush();
  await waitForCount(page, '1');
  expect(await isTooWide()).toBe(false);
  await page.getByRole('option').tap();
  expect(await page.locator('#detail-messages').boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 780 });
  expect(await isTooWide()).toBe(false);
  await page.getByRole('button', { name: 'Close' }).tap();
  for (const name of ['Rejected', 'Batches']) {
    await page.getByRole('tab', { name: new RegExp(name) }).tap();
    expect(await isTooWide()).toBe(false);
  }
});
