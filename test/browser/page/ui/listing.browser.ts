import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const NOTHING = {
  sources: [],
  destinations: [],
  audiences: [],
  traits: [],
  deletions: [],
  changes: [],
  deliveries: [],
};

test.each([
  ['Destinations', 'No destinations'],
  ['Deliveries', 'No deliveries yet'],
  ['Sources', 'No sources'],
  ['Audiences', 'No audiences'],
  ['Traits', 'No computed traits'],
  ['Deletions', 'No deletions'],
  ['Changes', 'No changes'],
])('an empty list explains what it would contain: %s', async (tab, title) => {
  const { page, complaints } = await openView(browser, tab, {}, { ...NOTHING, letters: [] });
  await page.getByRole('heading', { name: title }).waitFor();
  expect(await page.getByRole('button', { name: 'Reset filters' }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test.each([
  ['Destinations', 'destinations?text=nothing', 'No destination matches'],
  ['Deliveries', 'deliveries?find=nothing', 'No delivery matches'],
  ['Sources', 'sources?text=nothing', 'No source matches'],
])('a list whose filters match nothing says so, and a click removes the filters: %s', async (tab, address, title) => {
  const { page } = await openView(browser, tab);
  await page.evaluate((hash) => {
    location.hash = hash;
  }, address);
  await page.getByRole('heading', { name: title }).waitFor();
  await page.getByRole('button', { name: 'Reset filters' }).click();
  await page.getByRole('heading', { name: title }).waitFor({ state: 'detached' });
  expect(await page.evaluate(() => location.hash)).not.toContain('nothing');
});

test('an order hides nothing, so an empty list that is sorted does not offer to remove filters', async () => {
  const { page } = await openView(browser, 'Sources', {}, NOTHING);
  await page.evaluate(() => {
    location.hash = 'sources?sort=name';
  });
  await page.getByRole('heading', { name: 'No sources' }).waitFor();
  expect(await page.getByRole('button', { name: 'Reset filters' }).count()).toBe(0);
});

test('every stored list can be shared by its address, with its filters and its open item', async () => {
  const { page } = await openView(browser, 'Sources');
  for (const [address, selector] of [
    ['sources/shop?sort=name', '#detail-sources h2'],
    ['audiences/High Value Users', '#detail-audiences h2'],
    ['deletions/d1', '#detail-deletions h2'],
    ['deliveries/order-8000@CRM@crm.example.com?find=ada-1', '#detail-deliveries h2'],
  ] as const) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, address);
    await page.reload();
    await page.waitForSelector(selector);
  }
});
