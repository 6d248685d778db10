import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openDestination, openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('the page of a destination lists the errors of the last week, each with a link to its latest event', async () => {
  const { page } = await openDestination(browser, 'CRM');
  const table = page.locator('section', { hasText: 'Errors of the last week' }).getByRole('table');
  const rows = table.getByRole('row');
  expect(await rows.nth(1).innerText()).toMatch(/500\s+order-1812\s+1,204\s[\s\S]*crm.example.com\/hooks\/events$/);
  expect(await rows.nth(2).innerText()).toMatch(/ECONNREFUSED\s+order-1790\s+3\s[\s\S]*backup.example.net\/in$/);
  await table.getByRole('link', { name: 'order-1812' }).click();
  await expect.poll(() => page.url()).toContain('order-1812');
});

test('the page of a destination without errors says so', async () => {
  const { page } = await openView(browser, 'Destinations', {}, { errors: [] });
  await page.getByRole('link', { name: 'CRM', exact: true }).click();
  await page.getByText('No attempt has failed.').waitFor();
});
