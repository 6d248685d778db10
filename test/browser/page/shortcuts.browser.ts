import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../chromium.js';
import { openDebugger, sendNumbers, waitForCount } from '../debugger-page.js';
import { openView, settled } from '../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);

test('a slash moves the focus to the filter of a view from anywhere on the page, and is typed in a field', async () => {
  const { page } = await openView(browser, 'Destinations');
  for (const [view, field] of [
    ['destinations', 'filter-text'],
    ['deliveries', 'filter-find'],
    ['sources', 'filter-text'],
    ['messages', 'filter-text'],
  ]) {
    await page.click(`#tab-${view}`);
    await settled(page);
    await page.keyboard.press('/');
    expect([view, await focused(page)]).toEqual([view, field]);
    await page.keyboard.press('/');
    expect([view, await page.inputValue(`#${field}`)]).toEqual([view, '/']);
  }
});

test('`p` pauses a live view from anywhere on the page, but not in a field, a dialog or a view of stored data', async () => {
  const { page, analytics } = await openDebugger(browser);
  await sendNumbers(analytics, 1, 2);
  await waitForCount(page, '2');
  const isPaused = () => page.getAttribute('#pause', 'aria-pressed');
  await page.click('#tab-batches');
  await page.keyboard.press('p');
  expect(await isPaused()).toBe('true');
  await page.click('h1');
  await page.keyboard.press('p');
  expect(await isPaused()).toBe('false');
  await page.click('#tab-messages');
  await page.click('#filter-text');
  await page.keyboard.press('p');
  expect([await isPaused(), await page.inputValue('#filter-text')]).toEqual(['false', 'p']);
  await page.click('#compose');
  await page.waitForSelector('dialog:modal');
  await page.focus('#composer-close');
  await page.keyboard.press('p');
  expect(await isPaused()).toBe('false');

  const { page: stored } = await openView(browser, 'Sources');
  await stored.keyboard.press('p');
  await stored.click('#tab-messages');
  expect(await stored.getAttribute('#pause', 'aria-pressed')).toBe('false');
});

test('the shortcuts can be turned off and on again below a live list', async () => {
  const { page, analytics } = await openDebugger(browser);
  await sendNumbers(analytics, 1, 2);
  await waitForCount(page, '2');
  await page.getByRole('button', { name: 'Turn / and p off' }).click();
  await page.keyboard.press('p');
  await page.keyboard.press('/');
  expect(await page.getAttribute('#pause', 'aria-pressed')).toBe('false');
  expect(await focused(page)).not.toBe('filter-text');
  await page.getByRole('button', { name: 'Turn / and p on' }).click();
  await page.keyboard.press('p');
  expect(await page.getAttribute('#pause', 'aria-pressed')).toBe('true');
});
