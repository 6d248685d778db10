import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { cellsOf, openView, refresh } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('each deletion shows when it was requested, its number of users, its progress, and what it removed', async () => {
  const { page, service, complaints } = await openView(browser, 'Deletions');
  expect((await cellsOf(page, 'deletions')).slice(1)).toEqual([
    'running',
    '1,204 users',
    'shop, mobile app',
    '1,120 of 2,408 sent',
  ]);
  await page.click('#list-deletions .row');
  const bar = page.getByRole('progressbar', { name: 'Notifications sent' });
  expect(await bar.evaluate((element: HTMLProgressElement) => element.position)).toBeCloseTo(0.465, 2);
  expect(await page.getByText('840 attempts removed').isVisible()).toBe(true);
  service.holdings.deletions = service.holdings.deletions.map((each) => ({
    ...each,
    done: each.notifications,
    status: 'done',
  }));
  await refresh(page);
  await expect.poll(() => bar.evaluate((element: HTMLProgressElement) => element.position)).toBe(1);
  expect((await cellsOf(page, 'deletions'))[1]).toBe('done');
  expect(complaints).toEqual([]);
});

test('a deletion at 500 sources shows their number, and lists them only on request', async () => {
  const { page, service } = await openView(browser, 'Deletions');
  const sources = Array.from({ length: 503 }, (_, index) => `source ${index}`);
  service.holdings.deletions = service.holdings.deletions.map((each) => ({ ...each, sources, limited: false }));
  await refresh(page);
  await expect.poll(async () => (await cellsOf(page, 'deletions'))[3]).toBe('all, 503 with destinations');
  await page.click('#list-deletions .row');
  const names = page.locator('#detail-deletions .names li');
  await page.locator('#detail-deletions').getByRole('button', { name: '497 more' }).click();
  await expect.poll(() => names.count()).toBe(503);
});
