import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('beside an open item, columns without space are hidden, both heading and cells', async () => {
  const { page } = await openView(browser, 'Deliveries');
  const heading = page.locator('.columns.deliveries').getByText('Webhook', { exact: true });
  const cell = page.locator('#list-deliveries .row .user:not(.who)').first();
  expect([await heading.isVisible(), await cell.isVisible()]).toEqual([true, true]);
  await page.click('#list-deliveries .row');
  await heading.waitFor({ state: 'hidden' });
  expect(await cell.isVisible()).toBe(false);
  expect(await page.locator('.columns.deliveries').getByText('Event', { exact: true }).isVisible()).toBe(true);
});
