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
  test('each says where it goes and what came in the last hour', async () => {
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

test('sources come by page, in the order that their reader chooses', async () => {
  const totals = { received: 0, forwarded: 0, blocked: 0, rejected: 0 };
  const trackSchema = { allowed: null, blocked: [] };
  const sources = [...Array(120).keys()].map((number) => ({
    ...{ name: `source ${number}`, destinations: [], trackSchema, trackingPlan: null },
    lastHour: { ...totals, rejected: number % 100 },
  }));
  const { page } = await openView(browser, 'Sources', {}, { sources });
  await page.getByText('1 to 50 of 120').waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('option', { name: /^source 50 / }).waitFor();
  await page.getByRole('combobox', { name: 'Order' }).selectOption('rejected');
  await page.getByText('1 to 50 of 120').waitFor();
  await page.getByRole('option', { name: /^source 99 .* 99 rejected/ }).waitFor();
});
