import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView, refresh } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

describe('sources', () => {
  test('each source shows its destinations and what it received in the last hour', async () => {
    const { page, service, complaints } = await openView(browser, 'Sources');
    await page
      .getByRole('option', { name: 'shop CRM, Warehouse 18,204 received 18,121 forwarded 62 blocked 3 rejected' })
      .waitFor();
    const [shop, ...others] = service.holdings.sources;
    if (shop === undefined) throw new Error('there is no source');
    service.holdings.sources = [{ ...shop, lastHour: { ...shop.lastHour, received: 18_300 } }, ...others];
    await refresh(page);
    await page.getByRole('option', { name: /^shop .* 18,300 received/ }).waitFor();
    expect(complaints).toEqual([]);
  });
});
