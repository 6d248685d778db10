import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView, settled } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

/** The page of one destination. */
async function openDestination(name: string) {
  const opened = await openView(browser, 'Destinations');
  await opened.page.getByRole('link', { name, exact: true }).click();
  await opened.page.getByRole('heading', { name, exact: true }).waitFor();
  await settled(opened.page);
  return opened;
}

describe('the page of a destination', () => {
  test('lists its recent deliveries, each of which opens', async () => {
    const { page } = await openDestination('CRM');
    await page.getByRole('link', { name: /order-8000/ }).click();
    await page.getByRole('complementary', { name: 'Delivery' }).getByRole('heading', { name: 'order-8000' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'CRM', exact: true }).waitFor();
  });
});
