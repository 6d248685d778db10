import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { CRM } from '../../fake-holdings.js';
import { openView, refresh } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const MOMENT = '2026-11-20T12:00:00.000Z';

const detailOf = (page: Page) => page.getByRole('complementary', { name: 'Dead letter' });

const letter = (page: Page, number: number) => page.getByRole('option', { name: new RegExp(`order-${number}\\b`) });

describe('the list', () => {
  test('grows by itself at its beginning, and is left alone where somebody reads on', async () => {
    const { page, service } = await openView(browser, 'Dead letters');
    const more = (id: string): void => {
      service.holdings.letters['CRM']?.unshift({
        id,
        type: 'track',
        acceptedAt: MOMENT,
        endpoints: [{ url: CRM, reason: 'permanent', diedAt: MOMENT, attempts: [] }],
      });
      for (const destination of service.holdings.destinations)
        if (destination.name === 'CRM') destination.deadLetters++;
    };
    await letter(page, 5000).click();
    more('new-1');
    await refresh(page);
    await page.getByRole('option', { name: /new-1/ }).waitFor();
    expect(await detailOf(page).getByRole('heading').first().textContent()).toBe('order-5000');
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('The first 100 are shown.').waitFor();
    more('new-2');
    await refresh(page);
    await page.getByText('The dead letters have changed.').waitFor();
    expect(await page.getByRole('option', { name: /new-2/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('option', { name: /new-2/ }).waitFor();
  });
});
