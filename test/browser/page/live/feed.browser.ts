import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openDebugger, sendNumbers, titlesOf, waitForCount } from '../../debugger-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('pause and clear', () => {
  test('pausing holds new messages back, counts them, and shows them when it ends', async () => {
    const { page, analytics } = await openDebugger(browser);
    await sendNumbers(analytics, 1, 2);
    await waitForCount(page, '2');
    await page.getByRole('button', { name: 'Pause' }).click();
    await sendNumbers(analytics, 3, 5);
    await page.getByRole('button', { name: '3 new' }).waitFor();
    expect(await titlesOf(page)).toEqual(['Event 2', 'Event 1']);
    await page.getByRole('button', { name: '3 new' }).click();
    expect(await titlesOf(page)).toEqual(['Event 5', 'Event 4', 'Event 3', 'Event 2', 'Event 1']);
  });

  test('clearing removes the messages on the server too', async () => {
    const { page, analytics } = await openDebugger(browser);
    await sendNumbers(analytics, 1, 2);
    await waitForCount(page, '2');
    await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/debugger/clear')),
      page.getByRole('button', { name: 'Clear' }).click(),
    ]);
    await page.getByText('Waiting for the first event').waitFor();
    await page.reload();
    await page.waitForSelector('[data-state=live]');
    await sendNumbers(analytics, 3, 3);
    await waitForCount(page, '1');
    expect(await titlesOf(page)).toEqual(['Event 3']);
  });
});

describe('a broken connection', () => {
  test('a broken connection is shown, and afterwards each message is listed exactly once', async () => {
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
