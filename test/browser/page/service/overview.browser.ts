import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('above the destinations the page shows what was received, delivered and is left in total', async () => {
  const { page } = await openView(browser, 'Destinations');
  const all = page.getByRole('region', { name: 'All of the service' });
  await all.getByText('22,526').waitFor();
  expect(await all.innerText()).toMatch(
    /In, last hour\s+22,526\s+Rejected, last hour\s+3\s+Out, last hour\s+[\d,]+\s+Failed attempts\s+[\d,]+\s+Waiting\s+2,057 for 41 min\s+Dead letters\s+120\s+Store\s+lmdb, 1\.2 GB/,
  );
  await all.getByRole('button', { name: '120 dead letters, show them' }).click();
  await page.getByRole('tab', { name: 'Deliveries', selected: true }).waitFor();
  expect(await page.getByRole('combobox', { name: 'Outcome' }).inputValue()).toBe('dead');
});
