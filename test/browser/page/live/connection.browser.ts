import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openDebugger, sendNumbers, titlesOf, waitForCount } from '../../debugger-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('a broken line', () => {
  test('a broken line is shown, and mended without losing or doubling a message', async () => {
    const { page, analytics, line } = await openDebugger(browser);
    await sendNumbers(analytics, 1, 3);
    await waitForCount(page, '3');
    line.cut();
    await page.waitForSelector('[data-state=lost]');
    await sendNumbers(analytics, 4, 6);
    line.mend();
    await page.waitForSelector('[data-state=live]');
    await waitForCount(page, '6');
    await sendNumbers(analytics, 7, 7);
    await waitForCount(page, '7');
    expect(await titlesOf(page)).toEqual([7, 6, 5, 4, 3, 2, 1].map((number) => `Event ${number}`));
  });
});
