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
  test('a list of 10,000 messages draws its first rows, and more when the reader scrolls to its end', async () => {
    const { page, analytics, complaints } = await openDebugger(browser);
    await sendNumbers(analytics, 1, 10_500);
    await waitForCount(page, '10,500');
    const rows = () => page.locator('#list-messages .row').count();
    expect(await rows()).toBe(100);
    await page.focus('#list-messages');
    await page.keyboard.press('End');
    await page.waitForSelector('[aria-selected=true][aria-posinset="100"][aria-setsize="10000"]');
    await expect.poll(rows).toBe(200);
    await page.keyboard.press('End');
    await page.waitForSelector('[aria-selected=true][aria-posinset="200"]');
    expect((await titlesOf(page))[199]).toBe('Event 10301');
    await page.fill('#filter-text', 'event 7000');
    await expect.poll(() => titlesOf(page)).toEqual(['Event 7000']);
    expect(complaints).toEqual([]);
  });

  test('the list holds new messages back for a reader who scrolls down, and shows them at its top on a click', async () => {
    const { page, analytics } = await openDebugger(browser);
    await sendNumbers(analytics, 1, 200);
    await waitForCount(page, '200');
    await page.$eval('#list-messages', (list) => list.scrollTo(0, 38 * 50));
    await page.getByRole('button', { name: 'Paused' }).waitFor();
    const topRow = () =>
      page.$eval('#list-messages', (list) => {
        const at = list.getBoundingClientRect().top + 60;
        return document.elementFromPoint(200, at)?.closest('.row')?.querySelector('.title')?.textContent;
      });
    const before = await topRow();
    await sendNumbers(analytics, 201, 240);
    await page.getByRole('button', { name: '40 new' }).waitFor();
    expect(await topRow()).toBe(before);
    await page.getByRole('button', { name: '40 new' }).click();
    await waitForCount(page, '240');
    expect((await titlesOf(page))[0]).toBe('Event 240');
    expect(await page.$eval('#list-messages', (list) => list.scrollTop)).toBe(0);
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  });

  test('the list can be used with the keyboard', async () => {
    const { page, analytics } = await openDebugger(browser);
    await sendNumbers(analytics, 1, 5);
    await waitForCount(page, '5');
    const selected = () => page.textContent('#list-messages [aria-selected=true] .title');
    await page.focus('#list-messages');
    await page.keyboard.press('ArrowDown');
    expect(await selected()).toBe('Event 5');
    await page.keyboard.press('ArrowDown');
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
  });
});
