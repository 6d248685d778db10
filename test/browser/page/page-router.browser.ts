import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../chromium.js';
import { openView, refresh, settled } from '../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('the address', () => {
  test('the address holds the view and the open item across reload, Back and Forward', async () => {
    const { page } = await openView(browser, 'Audiences');
    await page.getByRole('option', { name: /^Newsletter/ }).click();
    await page.getByRole('tab', { name: 'Sources' }).click();
    await page.getByRole('option', { name: /^shop/ }).waitFor();
    await page.goBack();
    const detail = page.getByRole('complementary', { name: 'Audience' });
    await detail.getByRole('heading', { name: 'Newsletter' }).waitFor();
    await page.reload();
    await detail.getByRole('heading', { name: 'Newsletter' }).waitFor();
    await page.goBack();
    await detail.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Audiences', selected: true }).waitFor();
    await page.goForward();
    await detail.waitFor();
  });

  test('the address is kept when the session ends, and is restored after the next sign-in', async () => {
    const { page, service } = await openView(browser, 'Deliveries');
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('dead');
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByRole('combobox', { name: 'Why' }).selectOption('permanent');
    await settled(page);
    service.endSessions();
    await refresh(page);
    await page.getByText('The session has ended. Sign in again.').waitFor();
    await page.fill('#token', 'a-token-of-the-admin');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Deliveries', selected: true }).waitFor();
    await page.getByRole('button', { name: /^More filters/ }).click();
    expect(await page.getByRole('combobox', { name: 'Why' }).inputValue()).toBe('permanent');
  });
});

test.each(['destinations/%E0%A4%A', 'deliveries/%zz@%zz?after=%E0%A4%A', 'sources?after=%/%', '%', 'deliveries?a=%zz'])(
  'the invalid address #%s shows the tabs without an error',
  async (hash) => {
    const { page, complaints } = await openView(browser, 'Sources');
    await page.evaluate((given) => {
      location.hash = given;
    }, hash);
    await settled(page);
    await page.reload();
    await settled(page);
    expect(await page.getByRole('tab', { selected: true }).count()).toBe(1);
    expect(complaints).toEqual([]);
  },
);
