import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const letter = (page: Page, number: number) => page.getByRole('option', { name: new RegExp(`order-${number}\\b`) });

describe('the list', () => {
  test('begins with a destination that has some, and comes page by page', async () => {
    const { page, service, complaints } = await openView(browser, 'Dead letters');
    await letter(page, 5000).waitFor();
    await page.getByText('The first 50 are shown.').waitFor();
    expect(await letter(page, 5000).getAttribute('aria-setsize')).toBe('50');
    expect(await page.$$eval('#list-dead-letters .row', (rows) => rows.length)).toBeLessThan(50);
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('The first 100 are shown.').waitFor();
    await page.focus('#list-dead-letters');
    await page.keyboard.press('End');
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('End');
    await letter(page, 5119).waitFor();
    expect(service.calls.get('GET /v1/destinations/CRM/dead-letters')).toBe(3);
    expect(complaints).toEqual([]);
  });
});
