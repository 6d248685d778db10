import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openDestination } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('the page of a destination', () => {
  test('the page of a destination draws attempts, durations and waiting deliveries, in the range of the address', async () => {
    const { page, service, complaints } = await openDestination(browser, 'CRM');
    for (const name of [/^Attempts\./, /^Time to answer\./, /^Waiting\./])
      await page.getByRole('img', { name }).waitFor();
    await expect.poll(() => page.locator('.plot svg').count()).toBe(3);
    await page.getByRole('button', { name: '7 days' }).click();
    await expect.poll(() => page.url()).toContain('range=7d');
    await page.reload();
    await page.getByRole('button', { name: '7 days', pressed: true }).waitFor();
    await page.locator('.plot').first().hover();
    await expect.poll(() => page.locator('.readout time').first().textContent()).toMatch(/^\w{3},? \d/);
    expect(service.calls.get('GET /v1/destinations/CRM/history')).toBeGreaterThan(1);
    expect(complaints).toEqual([]);
  });

  test('the page of a destination draws one hour if the address has an unknown range, and says so', async () => {
    const { page } = await openDestination(browser, 'CRM');
    await page.evaluate(() => {
      location.hash += '?range=9d';
    });
    const said = page.getByRole('status').getByText('Range “9d”');
    await said.waitFor();
    await page.getByRole('button', { name: '1 hour', pressed: true }).waitFor();
    await page.getByRole('button', { name: '24 hours' }).click();
    await said.waitFor({ state: 'detached' });
  });
});
