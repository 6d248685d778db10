import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('the last hour can be selected with one click', async () => {
  const { page } = await openView(browser, 'Deliveries');
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByRole('button', { name: 'Last hour' }).click();
  const from = new Date(await page.getByLabel('From').inputValue()).getTime();
  expect(Date.now() - from).toBeLessThan(65 * 60_000);
  expect(Date.now() - from).toBeGreaterThanOrEqual(60 * 60_000);
});

test('destinations are suggested by a part of their name or webhook, and searched for only when one is chosen', async () => {
  const { page, service } = await openView(browser, 'Deliveries');
  const field = page.getByRole('combobox', { name: 'Destination' });
  await field.fill('crm.example');
  await expect
    .poll(() => page.locator('datalist option').evaluateAll((all) => all.map((each) => each.getAttribute('value'))))
    .toEqual(['CRM']);
  expect(await page.evaluate(() => location.hash)).not.toContain('destination');
  await field.fill('CRM');
  await field.press('Enter');
  await expect.poll(() => page.getAttribute('#list-deliveries .row', 'aria-setsize')).toBe('40');
  expect(service.calls.get('GET /v1/destinations/CRM')).toBeGreaterThan(0);
});
