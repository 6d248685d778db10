import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../chromium.js';
import { openDebugger } from '../debugger-page.js';
import { openService } from '../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('the page of dev shows its live views at once', async () => {
  const { page } = await openDebugger(browser);
  const tabs = (await page.getByRole('tab').allTextContents()).map((text) => text.replace(/\W*\d+$/, ''));
  expect(tabs).toEqual(['Messages', 'Rejected', 'Batches', 'Deliveries']);
  expect(await page.locator('#token').count()).toBe(0);
});

test('the page of a service asks for the token before it shows any view', async () => {
  const { page } = await openService(browser);
  await page.locator('#token').waitFor();
  expect(await page.getByRole('tab').count()).toBe(0);
});
