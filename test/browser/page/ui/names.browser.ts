import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { holdings } from '../../fake-holdings.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('the first few of 500 names are shown, and the others on request', async () => {
  const sources = [...Array(500).keys()].map((number) => `source-${number}`);
  const [first] = holdings(Date.now()).destinations;
  if (first === undefined) throw new Error('there is no destination');
  const { page } = await openView(browser, 'Destinations', {}, { destinations: [{ ...first, sources }] });
  await page.getByRole('link', { name: 'CRM' }).click();
  const settings = page.getByRole('region', { name: 'Settings' });
  await expect.poll(() => settings.getByRole('listitem').count()).toBe(7);
  await settings.getByRole('button', { name: '494 more' }).click();
  await expect.poll(() => settings.getByRole('listitem').count()).toBe(500);
});
