import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('sources are shown page by page, in the order that the user chooses', async () => {
  const totals = { received: 0, forwarded: 0, blocked: 0, rejected: 0 };
  const trackSchema = { allowed: null, blocked: [] };
  const sources = [...Array(120).keys()].map((number) => ({
    ...{ name: `source ${number}`, destinations: [], trackSchema, trackingPlan: null },
    lastHour: { ...totals, rejected: number % 100 },
  }));
  const { page } = await openView(browser, 'Sources', {}, { sources });
  await page.getByText('1 to 50 of 120').waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('option', { name: /^source 50 / }).waitFor();
  await page.getByRole('button', { name: 'Previous' }).click();
  await page.getByText('1 to 50 of 120').waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('combobox', { name: 'Order' }).selectOption('rejected');
  await page.getByText('1 to 50 of 120').waitFor();
  await page.getByRole('option', { name: /^source 99 .* 99 rejected/ }).waitFor();
});
