import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openDebugger, sendNumbers, waitForCount } from '../../debugger-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('the rate counts the events of the last minute, and is 0 a minute later', async () => {
  const { page, analytics } = await openDebugger(browser);
  const chart = page.locator('#rate-box svg');
  expect(await chart.getAttribute('aria-label')).toBe('Events per second in the last minute: 0 now, 0 at most');
  await sendNumbers(analytics, 1, 9);
  await waitForCount(page, '9');
  await expect.poll(() => chart.getAttribute('aria-label')).toMatch(/, [1-9] at most$/);
  await page.clock.install();
  await page.clock.runFor(62_000);
  await expect.poll(() => chart.getAttribute('aria-label')).toMatch(/: 0 now, 0 at most$/);
  expect(await page.textContent('#rate')).toBe('0');
});
