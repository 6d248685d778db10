import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openDestination } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('the page of a destination', () => {
  test('the page of a destination lists its recent deliveries, each of which can be opened', async () => {
    const { page } = await openDestination(browser, 'CRM');
    await page.getByRole('link', { name: /order-8000/ }).click();
    await page
      .getByRole('complementary', { name: 'Delivery' })
      .getByRole('heading', { name: 'Order Completed · ada-1000' })
      .waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'CRM', exact: true }).waitFor();
  });
});
