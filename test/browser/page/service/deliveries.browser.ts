import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RecentDelivery } from '../../../../src/service/api/delivery-answers.js';
import { launchChromium } from '../../chromium.js';
import { openView, refresh } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const scrollTop = (page: Page): Promise<number> => page.$eval('#list-deliveries', (list) => list.scrollTop);
const firstInSight = (page: Page): Promise<string | null> =>
  page.$eval('#list-deliveries', (list) => {
    const { top } = list.getBoundingClientRect();
    const rows = [...list.querySelectorAll('.row')];
    return rows.find((row) => row.getBoundingClientRect().top >= top)?.textContent ?? null;
  });

test('behind older pages the list keeps its place, says how many are new, and shows them on a click', async () => {
  const { page, service } = await openView(browser, 'Deliveries');
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('The first 100 are shown.').waitFor();
  await page.$eval('#list-deliveries', (list) => list.scrollTo(0, 40 * 38));
  const [place, row] = [await scrollTop(page), await firstInSight(page)];
  const { deliveries } = service.holdings;
  const [last] = deliveries;
  if (last === undefined) throw new Error('there is no delivery');
  const later: RecentDelivery[] = ['new-2', 'new-1'].map((id) => ({ ...last, id, event: id }));
  service.holdings.deliveries = [...later, { ...last, result: '200', phase: 'delivered' }, ...deliveries.slice(1)];
  await refresh(page);
  await page.getByRole('status').getByText('2 new.').waitFor();
  expect([await scrollTop(page), await firstInSight(page)]).toEqual([place, row]);
  await page.$eval('#list-deliveries', (list) => list.scrollTo(0, 0));
  await page.getByRole('option', { name: /200 Order Completed ada-1000/ }).waitFor();
  await page.getByRole('button', { name: 'Show them' }).click();
  await page.getByRole('option', { name: /new-2/ }).waitFor();
  await page.getByText('The first 50 are shown.').waitFor();
  expect(await page.getByRole('button', { name: 'Show them' }).count()).toBe(0);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('list-deliveries');
});
