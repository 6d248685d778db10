import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { cellsOf, openView } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('each change shows who changed what, with the old and new value', async () => {
  const { page, complaints } = await openView(browser, 'Changes');
  const rows = [];
  for (let row = 1; row <= 6; row++) rows.push((await cellsOf(page, 'changes', row)).slice(1));
  expect(rows).toEqual([
    ['configuration', 'Configuration', '', '2 changes'],
    ['ana', 'Delivery to My CRM', 'delivering', 'paused'],
    ['ben', 'replay of CRM', '', '3 deliveries'],
    ['admin', 'audiences vip', '', '120 members, 5 joined, 2 left'],
    ['ben', 'Deletion of 1 user from shop, app', '', '2 notifications'],
    ['ana', 'Deletion of 1,200 users from all sources', '', '0 notifications'],
  ]);
  await page.click('#list-changes .row');
  await page.getByText('source shop changed').waitFor();
  expect(complaints).toEqual([]);
});
