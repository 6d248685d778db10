import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openDebugger, sendNumbers, titlesOf, waitForCount } from '../../debugger-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('the list', () => {
  test('a list of 10,000 messages draws only a few rows, and can be scrolled to the oldest that it keeps', async () => {
    const { page, analytics, complaints } = await openDebugger(browser);
    await sendNumbers(analytics, 1, 10_500);
    await waitForCount(page, '10,500');
    expect(await page.$$eval('.row', (rows) => rows.length)).toBeLessThan(60);
    await page.focus('#list-messages');
    await page.keyboard.press('End');
    await page.waitForSelector('[aria-selected=true][aria-posinset="10000"]');
    expect((await titlesOf(page)).at(-1)).toBe('Event 501');
    await page.fill('#filter-text', '"number":7000,');
    await page.fill('#filter-text', 'event 7000');
    await page.waitForFunction(() => document.querySelectorAll('#list-messages .row').length === 1);
    expect(await titlesOf(page)).toEqual(['Event 7000']);
    expect(complaints).toEqual([]);
  });

  test('the list keeps its place for a reader further down while messages arrive', async () => {
    const { page, analytics } = await openDebugger(browser);
    await sendNumbers(analytics, 1, 200);
    await waitForCount(page, '200');
    await page.$eval('#list-messages', (list) => {
      list.scrollTop = 38 * 100;
    });
    const topRow = () =>
      page.$eval('#list-messages', (list) => {
        const at = list.getBoundingClientRect().top + 60;
        return document.elementFromPoint(200, at)?.closest('.row')?.querySelector('.title')?.textContent;
      });
    await page.waitForFunction(() => document.querySelector('.row')?.getAttribute('aria-posinset') !== '1');
    const before = await topRow();
    await sendNumbers(analytics, 201, 240);
    await waitForCount(page, '240');
    expect(await topRow()).toBe(before);
  });

  test('the list can be used with the keyboard', async () => {
    const { page, analytics } = await openDebugger(browser);
    await sendNumbers(analytics, 1, 5);
    await waitForCount(page, '5');
    const selected = () => page.textContent('#list-messages [aria-selected=true] .title');
    await page.focus('#list-messages');
    await page.keyboard.press('ArrowDown');
    expect(await selected()).toBe('Event 5');
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    expect(await selected()).toBe('Event 3');
    await page.keyboard.press('ArrowUp');
    expect(await selected()).toBe('Event 4');
    const active = await page.getAttribute('#list-messages', 'aria-activedescendant');
    expect(await page.textContent(`#${active} .title`)).toBe('Event 4');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.className)).toContain('json');
    await page.keyboard.press('Escape');
    expect(await page.isVisible('#detail-messages')).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('list-messages');
    await page.keyboard.press('/');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('filter-text');
  });
});
