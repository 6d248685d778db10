import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../chromium.js';
import { openView, refresh } from '../../service-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('a wrong configuration is said within 3 s', async () => {
  const { page, service } = await openView(browser, 'Sources');
  const { status } = service.holdings;
  await page.clock.install();
  service.holdings.status = { ...status, config: { ...status.config, error: 'sources: Expected a list' } };
  await page.clock.runFor(3_000);
  await page.getByRole('alert').getByText('sources: Expected a list').waitFor();
});

test('the line at the foot says how the service is, and above the tabs stands what is wrong with its configuration', async () => {
  const { page, service, complaints } = await openView(browser, 'Sources');
  const foot = page.getByRole('contentinfo');
  await foot.getByText('3 d 4 h').waitFor();
  expect(await foot.innerText()).toMatch(/lmdb, 1\.2 GB[\s\S]*0\.4 ms · p99 3\.2 ms · max 18 ms/);
  const alert = page.getByRole('alert');
  expect(await alert.isVisible()).toBe(false);
  const { status } = service.holdings;
  service.holdings.status = { ...status, config: { ...status.config, error: 'sources[0].name: <img src=x> is taken' } };
  await refresh(page);
  await alert.getByText('sources[0].name: <img src=x> is taken').waitFor();
  service.holdings.status = status;
  await refresh(page);
  await alert.waitFor({ state: 'hidden' });
  expect(complaints).toEqual([]);
});
