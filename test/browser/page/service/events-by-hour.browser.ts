import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('sources', () => {
  test('an open source shows how often each event occurred in the last day, and in which hours', async () => {
    const { page } = await openView(browser, 'Sources');
    await page.focus('#list-sources');
    await page.keyboard.press('ArrowDown');
    const detail = page.getByRole('complementary', { name: 'Source' });
    const event = (name: string) => detail.getByRole('row', { name });
    await event('Debug Ping').waitFor();
    const [day = ''] = (await event('Product Viewed').innerText()).match(/[\d,]{4,}/) ?? [];
    const label = await event('Product Viewed').getByRole('img').getAttribute('aria-label');
    const hours = (label ?? '').replace('Received in each hour: ', '').split(', ');
    expect(hours).toHaveLength(24);
    const numberIn = (text: string): number => Number(text.replace(',', ''));
    expect(hours.reduce((sum, hour) => sum + numberIn(hour), 0)).toBe(numberIn(day));
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
});
