import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView, refresh, settled } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('sources', () => {
  test('an open source shows the outcome of each event, for the day or for one hour', async () => {
    const { page } = await openView(browser, 'Sources');
    await page.focus('#list-sources');
    await page.keyboard.press('ArrowDown');
    const detail = page.getByRole('complementary', { name: 'Source' });
    const event = (name: string) => detail.getByRole('row', { name });
    await event('Debug Ping').waitFor();
    const [day] = (await event('Product Viewed').innerText()).match(/[\d,]{4,}/) ?? [];
    // The previous hour is selected, because the current one may have just begun.
    await detail.getByRole('combobox').selectOption({ index: 2 });
    const [hour] = (await event('Product Viewed').innerText()).match(/[\d,]{4,}/) ?? [];
    expect(Number(hour?.replace(',', ''))).toBeLessThan(Number(day?.replace(',', '')));
    expect(await detail.getByRole('img', { name: /^Received/ }).getAttribute('aria-label')).toMatch(
      /^Received in each of the last 24 hours: /,
    );
    await page.keyboard.press('Escape');
    expect(await detail.isVisible()).toBe(false);
  });

  test('the events of a source are not shown before they are known', async () => {
    const { page, service } = await openView(browser, 'Sources');
    const release = service.hold('GET /v1/sources/shop/counts');
    await page.click('#list-sources .row');
    const detail = page.getByRole('complementary', { name: 'Source' });
    await detail.getByRole('heading', { name: 'shop' }).waitFor();
    expect(await detail.getByRole('table').isVisible()).toBe(false);
    release();
    await detail.getByRole('table').waitFor();
  });

  test('the selected hour and the focus stay while the numbers change', async () => {
    const { page } = await openView(browser, 'Sources');
    await page.click('#list-sources .row');
    const choice = page.getByRole('complementary', { name: 'Source' }).getByRole('combobox');
    await choice.selectOption({ index: 3 });
    await choice.focus();
    const chosen = await choice.inputValue();
    await refresh(page);
    await refresh(page);
    await settled(page);
    expect(await choice.inputValue()).toBe(chosen);
    expect(await choice.evaluate((element) => element === document.activeElement)).toBe(true);
  });
});
