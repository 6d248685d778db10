import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('a chart reads out what the pointer is at, and the last point without a pointer', async () => {
  const { page } = await openView(browser, 'Destinations');
  await page.getByRole('link', { name: 'CRM' }).click();
  const readout = page.locator('.readout').first();
  await expect.poll(() => readout.locator('time').textContent()).toBe('now');
  const now = await readout.innerText();
  await page
    .locator('.plot .u-over')
    .first()
    .hover({ position: { x: 40, y: 20 } });
  await expect.poll(() => readout.locator('time').textContent()).toMatch(/^\d\d:\d\d$/);
  expect(await readout.innerText()).not.toBe(now);
  await page.mouse.move(0, 0);
  await expect.poll(() => readout.locator('time').textContent()).toBe('now');
});

test('a chart is drawn again in the colours of the dark mode when the system changes to it', async () => {
  const { page } = await openView(browser, 'Destinations', { colorScheme: 'light' });
  await page.getByRole('link', { name: 'CRM' }).click();
  const canvas = page.locator('.plot canvas').first();
  await canvas.waitFor();
  const light = await canvas.elementHandle();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => light?.evaluate((element) => element.isConnected)).toBe(false);
  await canvas.waitFor();
});
