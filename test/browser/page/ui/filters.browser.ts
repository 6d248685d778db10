import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openDebugger, sendNumbers, titlesOf, waitForCount } from '../../debugger-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('the text of a filter field is kept in the address, and the down arrow moves the focus to the list', async () => {
  const { page, analytics } = await openDebugger(browser);
  await sendNumbers(analytics, 1, 3);
  await waitForCount(page, '3');
  const field = page.getByRole('searchbox', { name: 'Filter by text' });
  await field.fill('Event 2');
  await expect.poll(() => titlesOf(page)).toEqual(['Event 2']);
  expect(new URL(page.url()).hash).toContain('text=Event');
  await field.press('ArrowDown');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('list-messages');
});

test('a filter field accepts no more characters than the service accepts bytes', async () => {
  const { page } = await openDebugger(browser);
  const field = page.getByRole('searchbox', { name: 'Filter by text' });
  await field.focus();
  await page.keyboard.insertText('漢'.repeat(3_000));
  expect(Buffer.byteLength(await field.inputValue())).toBeLessThanOrEqual(2_048);
});
