import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openDebugger } from '../../debugger-page.js';
import { openView, settled } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('before the first message, dev shows the code that sends one, and can copy it', async () => {
  const { page } = await openDebugger(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.getByRole('heading', { name: 'Waiting for the first event' }).waitFor();
  const code = (await page.textContent('#snippet')) ?? '';
  expect(code).toContain('analytics.track');
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(code);
  await page.getByRole('button', { name: 'Send a test event' }).click();
  await page.locator('#form-type').waitFor();
});

test('before the first message, a service shows no code and offers no test event', async () => {
  const { page } = await openView(browser, 'Messages');
  await settled(page);
  await page.getByText('The service records them only while this view is open.').waitFor();
  expect(await page.locator('#snippet, #compose-empty').count()).toBe(0);
});
